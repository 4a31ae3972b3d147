// One collective under way on this rank: a plan bound to buffers.
//
// What it is to do next is guarded by the engine's lock; doing it takes place outside of that lock,
// as a reduction may be the program's own function and a copy long. So the engine takes messages
// and local steps (copies and reductions) from it under the lock, has them posted or computed
// without, and notifies it under the lock what became of them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/floating_point.hpp"
#include "engine/communicator.hpp"
#include "engine/plan.hpp"
#include "engine/storage.hpp"
#include "mpi/element.hpp"
#include "mpi/own_channel.hpp"
#include "transport/transport.hpp"

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
  bool calls_program = false;          // `op` is a function of the program's
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

  // Among the communicator's, of a rank of the plan's.
  [[nodiscard]] Rank rank_of(Rank plan_rank) const {
    return ranks.empty() ? plan_rank : ranks[static_cast<std::size_t>(plan_rank)];
  }
};

// Has it to do with this?
[[nodiscard]] bool uses_type(const Binding& binding, MPI_Datatype type);

class Operation final : private Transport::Follower {
 public:
  explicit Operation(Task task);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Of calls that are alike but for their buffers: when nobody refers to it any more it rests
  // instead of being freed, and belongs to who has kept it (see ReadyCalls).
  [[nodiscard]] bool may_be_kept() const;
  void keep() { is_kept_ = true; }
  [[nodiscard]] bool is_kept() const { return is_kept_; }
  void rest();
  [[nodiscard]] bool rests() const { return rests_.load(std::memory_order_acquire); }
  // It rests: may begin again, with these buffers.
  void renew(const void* send, void* recv);
  [[nodiscard]] bool is_renewed() const { return is_renewed_; }

  // A message to post; `error` is what became of that.
  struct Post {
    Operation* operation = nullptr;
    StepId step = 0;
    int error = MPI_SUCCESS;
  };

  // Under the lock.
  // Takes the numbers of its messages, in the order in which operations begin, and finds out what
  // comes first.
  void begin();
  // Before that: what it reduces is rounded, and takes denormal numbers, as this thread does now.
  void keep_floating_point();
  // Has it messages to post, perhaps such as may not be yet (see Sequence)?
  [[nodiscard]] bool has_posts() const { return !to_post_.empty(); }
  // Posts those that may be posted now and take no longer than to give the lock up. Only while
  // nobody uses the transports. True: there was one.
  bool post_at_once();
  // Takes those that may be posted now, for `post` and then `posted`.
  void take_posts(std::vector<Post>& posts);
  void posted(StepId step, int error);
  void message_done(StepId step, int error);
  // Does its next local step run a function of the program's?
  [[nodiscard]] bool calls_program() const {
    const StepId next = to_compute_[next_local_];
    return task_.binding.calls_program && next >= 0 && step(next).kind == StepKind::reduce;
  }
  // Does it pack or unpack data with gaps next, which the MPI does?
  [[nodiscard]] bool calls_mpi() const;
  // Is its next local step a copy that no other step waits for?
  [[nodiscard]] bool copies_for_itself() const;
  // Is a message of it under way?
  [[nodiscard]] bool is_in_flight() const { return in_flight_ > 0; }
  // Is there a local step that nobody computes yet?
  [[nodiscard]] bool has_local() const { return !computing_ && next_local_ < to_compute_.size(); }
  // Takes one, for `compute` and then `computed`.
  [[nodiscard]] StepId take_local();
  void computed(StepId step, int error);
  // Has it given up numbers since this was asked last, for which messages of others may have
  // waited?
  [[nodiscard]] bool takes_back() { return std::exchange(gave_up_, false); }
  // It has failed, and receives of it are in flight that nobody will send for.
  [[nodiscard]] bool cancels() const { return cancels_; }
  void cancelled() { cancels_ = false; }
  // Nothing of it is left to do, or it has failed and nothing of it is under way.
  [[nodiscard]] bool over() const;
  void finish() { done_.store(true, std::memory_order_release); }

  // Without the lock; both return an MPI error code.
  int post(StepId id);
  [[nodiscard]] int compute(StepId id) const;

  // Do all its messages? Once it has begun.
  [[nodiscard]] bool stays_on_host() const { return stays_on_host_; }

  // Of one in the background, under the lock: the `poll`th poll of all began it or found `step`
  // done. A message of ours is gone as soon as it can be; what keeps time is those of others.
  void begin_rhythm(std::int64_t now_ns, long poll) { pace_.start(now_ns, poll); }
  [[nodiscard]] bool has_rhythm() const { return pace_.has_started(); }
  void keep_rhythm(StepId step, std::int64_t now_ns, long poll) {
    const Step& done = task_.plan->schedule.steps[static_cast<std::size_t>(step)];
    if (done.kind == StepKind::recv) pace_.event(task_.plan->rhythm, now_ns, poll);
  }
  // When to poll for it again; 0: not known.
  [[nodiscard]] std::int64_t expected_ns() const {
    return all_short_ ? pace_.expected_ns(task_.plan->rhythm) : 0;
  }

  // No step is running or will be: the buffers are the program's again.
  [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire); }
  // Once it is done.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] Communicator& comm() const { return *task_.comm; }
  [[nodiscard]] const Plan& plan() const { return *task_.plan; }

  // How the program hears of its end, where it holds an MPI_Request: a generalized one, or
  // a persistent one that waits for the signal. Set before `begin`.
  MPI_Request handle{};
  bool has_handle = false;
  MPI_Request request{};  // the program's, whichever of both it is
  bool has_request = false;
  std::shared_ptr<const own_channel::Signal> signal;
  bool background = false;   // the progress thread may drive it
  bool without_mpi = false;  // it may be driven by a thread that may not call the MPI
  // The engine holds one reference until it is done, the program's handle another.
  std::atomic<int> references{1};

  // In which of the engine's lists it stands.
  struct Listed {
    bool to_post = false;
    bool to_compute = false;  // or to_call
    bool to_cancel = false;
    bool ended = false;
  };
  Listed listed;

 private:
  // The messages one way between this rank and a peer.
  struct Course {
    Sequence* sequence = nullptr;
    std::uint64_t first = 0;  // number of the operation's first
    Route route;
    std::int32_t messages = 0;
    bool is_brief = false;  // a short message of plain data is posted at once
  };

  void prepare();
  void find_courses();
  void take_numbers();
  void sort_ready();
  int post(StepId id, const Piece& data, const Route& route, std::uint64_t number);
  // From where to where a copy or a reduction goes.
  [[nodiscard]] Binding::Copy local(const Step& step) const;
  [[nodiscard]] bool copy_at_once(const Step& step) const;
  void complete(StepId id);
  void fail(int error);
  [[nodiscard]] const Step& step(StepId id) const {
    return task_.plan->schedule.steps[static_cast<std::size_t>(id)];
  }
  // Of a message that is received: is it to be reduced as it comes? Decided under the lock.
  void follow(StepId id);
  [[nodiscard]] bool is_followed(StepId id) const;
  // While the transports are polled.
  int come(StepId id, std::size_t bytes) override;
  bool take(StepId id, std::size_t first, std::span<const std::byte> data) override;
  [[nodiscard]] int reduce_part(const Step& step, const Span& part) const;
  [[nodiscard]] int combine(const Step& step, const Piece& from, const Piece& to) const;
  [[nodiscard]] const Course& course_of(StepId id) const {
    return courses_[static_cast<std::size_t>(task_.plan->traffic_of[static_cast<std::size_t>(id)])];
  }
  [[nodiscard]] std::uint64_t number_of(StepId id) const {
    return course_of(id).first + static_cast<std::uint64_t>(step(id).ordinal);
  }
  void give_up_number(StepId id);
  bool gave_up_ = false;
  [[nodiscard]] TagRange& tags() const { return task_.tags ? *task_.tags : comm().tags; }
  [[nodiscard]] const Block& block(Buffer buffer) const;
  [[nodiscard]] Piece message(const Step& step) const;

  Task task_;
  Block scratch_;
  Storage scratch_memory_;

  // Local steps besides the plan's.
  static constexpr StepId kBefore = -1;
  static constexpr StepId kAfter = -2;
  static constexpr std::int32_t kPosted = -1;  // in waits_left_, of a message; or about to be
  static constexpr Count kNotFollowed = -1;    // in reduced_
  // MPIs send this much unasked over most networks: Open MPI's limit is 64 KiB over TCP.
  static constexpr Count kShortMessage = Count{32} * 1024;

  std::vector<std::int32_t> waits_left_;  // per step
  // Per step, of a reduction that waits for nothing but a message: so many of its elements have
  // come, and are reduced. While the message is in flight it is changed by who polls alone.
  std::vector<Count> reduced_;
  std::vector<StepId> ready_;  // first in, first out: pipelines stay in order
  std::size_t next_ready_ = 0;
  std::vector<StepId> to_post_;     // in the order in which they became ready
  std::vector<StepId> to_compute_;  // likewise
  std::size_t next_local_ = 0;
  std::int32_t left_ = 0;  // steps
  std::int32_t posting_ = 0;
  std::int32_t in_flight_ = 0;
  bool computing_ = false;
  bool cancels_ = false;
  std::vector<Course> courses_;  // as in the plan's traffic_of
  bool stays_on_host_ = true;
  // A long message takes part in handshakes before it moves, which only polls answer.
  bool all_short_ = true;
  Pace pace_;
  int error_ = MPI_SUCCESS;
  std::optional<FloatingPointMode> floating_point_;  // where it reduces
  std::atomic<bool> done_{false};
  bool is_kept_ = false;
  bool is_renewed_ = false;
  std::atomic<bool> rests_{false};
};

}  // namespace stretto
