// One collective under way on this rank: a plan bound to buffers.
//
// Driven by the engine, under its lock: `start` begins every step that waits for
// nothing, `step_done` is told of each message that completed and begins what waited
// for it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "engine/communicator.hpp"
#include "engine/element.hpp"
#include "engine/own_channel.hpp"
#include "engine/plan.hpp"
#include "engine/storage.hpp"
#include "transport/mpi/transport.hpp"

namespace stretto {

// What a plan's three buffers are in memory, and what `reduce` means.
struct Binding {
  // Where a buffer of the plan's is not the program's: copied before the first step, or
  // after the last.
  struct Copy {
    Piece from;
    Piece to;
  };

  Block send;
  Block recv;
  Element scratch;                     // the operation allocates the scratch itself
  std::vector<Count> scratch_parts{};  // bytes of its parts, where the buffers are in parts
  MPI_Op op{};                         // reductions only
  Storage memory{};                    // what the copies are made to and from
  std::optional<Copy> before{};
  std::optional<Copy> after{};
};

// All an operation is made of.
struct Task {
  std::shared_ptr<const Plan> plan;
  Communicator* comm = nullptr;
  std::vector<Rank> ranks{};  // of `comm`, by the plan's; empty: the same
  Binding binding;
  std::shared_ptr<TagRange> tags{};  // of a persistent operation; otherwise those of `comm`

  // Of a rank of the plan's: among the communicator's, and on its channel.
  [[nodiscard]] Rank rank_of(Rank plan_rank) const {
    return ranks.empty() ? plan_rank : ranks[static_cast<std::size_t>(plan_rank)];
  }
  [[nodiscard]] Rank channel_rank(Rank plan_rank) const {
    return comm->on_channel(rank_of(plan_rank));
  }
};

// Has it to do with this?
[[nodiscard]] bool uses_type(const Binding& binding, MPI_Datatype type);

class Operation {
 public:
  explicit Operation(Task task);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  void start(MpiTransport& transport);
  // `error` is the message's. True where this was the operation's last step.
  void step_done(MpiTransport& transport, StepId step, int error);
  // Messages that may not be posted before others are (see Sequence) are held back until
  // `post_held_back` finds that they may.
  [[nodiscard]] std::size_t held_back() const { return held_back_.size(); }
  void post_held_back(MpiTransport& transport);

  // Of one in the background: the `look`th look of all began it or found `step` done. A
  // message of ours is gone as soon as it can be; what keeps time is those of others.
  void begin_rhythm(std::int64_t now_ns, long look) { pace_.start(now_ns, look); }
  void keep_rhythm(StepId step, std::int64_t now_ns, long look) {
    const Step& done = task_.plan->schedule.steps[static_cast<std::size_t>(step)];
    if (done.kind == StepKind::recv) pace_.event(task_.plan->rhythm, now_ns, look);
  }
  // When to look at it again; 0: not known.
  [[nodiscard]] std::int64_t expected_ns() const {
    return all_short_ ? pace_.expected_ns(task_.plan->rhythm) : 0;
  }

  // No step is running or will be: the buffers are the program's again.
  [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire); }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] Communicator& comm() const { return *task_.comm; }
  [[nodiscard]] const Plan& plan() const { return *task_.plan; }

  // How the program hears of its end, where it holds an MPI_Request: a generalized one, or
  // a persistent one that waits for the signal. Set before `start`.
  MPI_Request handle{};
  bool has_handle = false;
  std::shared_ptr<const own_channel::Signal> signal;
  bool background = false;  // the progress thread may drive it
  // The engine holds one reference until it is done, the program's handle another.
  std::atomic<int> references{1};

 private:
  void run_ready(MpiTransport& transport);
  // The messages one way between this rank and a peer.
  struct Course {
    Sequence* sequence = nullptr;
    std::uint64_t first = 0;  // number of the operation's first
  };

  // True where the step is complete on return, false where a message is in flight or held back.
  bool run(MpiTransport& transport, StepId id);
  [[nodiscard]] bool may_post(StepId id, const Step& step);
  int post(MpiTransport& transport, StepId id, const Step& step);
  void take_numbers();
  [[nodiscard]] TagRange& tags() { return task_.tags ? *task_.tags : comm().tags; }
  void complete(StepId id);
  void fail(MpiTransport& transport, int error);
  void finish_if_over();
  [[nodiscard]] const Block& block(Buffer buffer) const;
  [[nodiscard]] Count message_bytes(const Step& step) const;

  Task task_;
  Block scratch_;
  Storage scratch_memory_;

  std::vector<std::int32_t> waits_left_;  // per step
  std::vector<StepId> ready_;             // first in, first out: pipelines stay in order
  std::size_t next_ready_ = 0;
  std::int32_t steps_left_ = 0;
  std::int32_t in_flight_ = 0;
  std::vector<Course> courses_;                // as in the plan's traffic_of
  std::vector<StepId> held_back_;              // in the order in which they became ready
  static constexpr std::int32_t kPosted = -1;  // in waits_left_, of a message
  // A long message takes part in handshakes before it moves, which only looks answer.
  bool all_short_ = true;
  Pace pace_;
  int error_ = MPI_SUCCESS;
  std::atomic<bool> done_{false};
};

}  // namespace stretto
