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
  std::vector<Rank> ranks{};  // of the channel, by the plan's; empty: the same
  Binding binding;
  std::vector<int> tags{};  // by step; empty: the next ones of `comm`

  [[nodiscard]] Rank channel_rank(Rank plan_rank) const {
    return ranks.empty() ? plan_rank : ranks[static_cast<std::size_t>(plan_rank)];
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
  // True where the step is complete on return, false where a message is in flight.
  bool run(MpiTransport& transport, StepId id);
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
  // A long message takes part in handshakes before it moves, which only looks answer.
  bool all_short_ = true;
  Pace pace_;
  int error_ = MPI_SUCCESS;
  std::atomic<bool> done_{false};
};

}  // namespace stretto
