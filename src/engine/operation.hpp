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
#include "engine/plan.hpp"
#include "engine/storage.hpp"
#include "transport/mpi/transport.hpp"

namespace stretto {

// What a plan's three buffers are in memory, and what `reduce` means.
struct Binding {
  Block send;
  Block recv;
  Element scratch;                     // the operation allocates the scratch itself
  std::vector<Count> scratch_parts{};  // bytes of its parts, where the buffers are in parts
  Storage input{};                     // what `send` lies in, where that is a copy
  MPI_Op op{};                         // reductions only
};

// A broadcast of a layout with gaps travels packed: the root packs before it starts and
// the others unpack when it is done. Segments can then be cut anywhere, also where the
// ranks describe the same data by different types.
struct Staging {
  Block user;          // the program's buffer, one element
  bool packs = false;  // this rank is the root
};

class Operation {
 public:
  Operation(std::shared_ptr<const Plan> plan, Communicator& comm, const Binding& binding,
            const std::optional<Staging>& staging);
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
    const Step& done = plan_->schedule.steps[static_cast<std::size_t>(step)];
    if (done.kind == StepKind::recv) pace_.event(plan_->rhythm, now_ns, look);
  }
  // When to look at it again; 0: not known.
  [[nodiscard]] std::int64_t expected_ns() const {
    return all_short_ ? pace_.expected_ns(plan_->rhythm) : 0;
  }

  // No step is running or will be: the buffers are the program's again.
  [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire); }
  [[nodiscard]] int error() const { return error_; }
  // Has it still to do with this?
  [[nodiscard]] bool uses_type(MPI_Datatype type) const;
  [[nodiscard]] bool uses_op(MPI_Op op) const { return op == op_; }
  [[nodiscard]] Communicator& comm() const { return comm_; }
  [[nodiscard]] const Plan& plan() const { return *plan_; }

  // The handle the program holds, where it holds an MPI_Request. Set before `start`.
  MPI_Request handle{};
  bool has_handle = false;
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
  [[nodiscard]] static Piece user_piece(const Staging& staging);
  [[nodiscard]] Piece packed_piece(const Staging& staging) const;
  [[nodiscard]] const Block& block(Buffer buffer) const;
  [[nodiscard]] Count message_bytes(const Step& step) const;

  std::shared_ptr<const Plan> plan_;
  Communicator& comm_;
  Block send_;
  Block recv_;
  Block scratch_;
  MPI_Op op_;
  Storage input_;
  std::optional<Staging> staging_;
  Storage scratch_memory_;
  Storage staged_;

  std::vector<int> tags_;                 // per step; of messages
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
