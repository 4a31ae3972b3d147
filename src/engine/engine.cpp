#include "engine/engine.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/log.hpp"
#include "engine/failures.hpp"

namespace stretto {
namespace {

constexpr long kStallSeconds = 60;

// MPI's view of the request behind a nonblocking collective.
int query_request(void* state, MPI_Status* status) {
  const auto* operation = static_cast<const Operation*>(state);
  // Here and not where it is freed, which may be on the thread that completed it.
  if (operation->error() != MPI_SUCCESS) {
    const Communicator& comm = operation->comm();
    // Its handler went with a communicator that the program has freed.
    Failures::add(comm.orphaned ? native().comm_self : comm.user, operation->error());
  }
  // A collective's status is empty (MPI 4.1, 6.12); these fields are all a program may read.
  status->MPI_SOURCE = operation->error() == MPI_SUCCESS ? MPI_ANY_SOURCE : Failures::kFailed;
  status->MPI_TAG = MPI_ANY_TAG;
  status->MPI_ERROR = MPI_SUCCESS;
  native().Status_set_elements(status, native().byte, 0);
  native().Status_set_cancelled(status, 0);
  return MPI_SUCCESS;  // see Failures
}

int free_request(void* state) {
  Engine::get().release_handle(static_cast<Operation*>(state));
  return MPI_SUCCESS;
}

// Collectives cannot be cancelled (MPI 4.1, 6.12).
int cancel_request(void* /*state*/, int /*complete*/) { return MPI_ERR_REQUEST; }

class AwaitedOne : public Awaited {
 public:
  explicit AwaitedOne(const Operation& one) : one_(one) {}
  [[nodiscard]] bool has(const Operation& operation) const override { return &operation == &one_; }

 private:
  const Operation& one_;
};

}  // namespace

bool Engine::open(int program_level, bool thread_by_default, Transports transports, Locks locks) {
  const std::lock_guard lock(opening_);
  if (is_open()) return true;
  if (!own_channel::open()) return false;
  // Communicators of an earlier session may still have routes over those that it had.
  if (transports_.empty()) transports_ = std::move(transports);
  threads_.start(program_level, locks);
  program_has_threads_ = program_level == MPI_THREAD_MULTIPLE;
  const long stall_s = number_setting("STRETTO_STALL_SECONDS", 0).value_or(kStallSeconds);
  if (stall_s > 0) stall_ns_ = std::int64_t{stall_s} * 1'000'000'000;
  plans_.read_setting();
  const std::optional<bool> wanted = switch_setting("STRETTO_PROGRESS_THREAD");
  in_memory_only_ = false;  // of an earlier session, which may have had another level
  thread_failed_ = false;
  if (wanted.value_or(thread_by_default) && threads_.multiple()) {
    has_thread_ = true;
    stopping_ = false;
    start_progress_thread();
  } else {
    in_memory_only_ = wanted.value_or(true);
  }
  if (wanted.value_or(false) && !threads_.multiple()) {
    say("MPI_THREAD_MULTIPLE is not given: no progress thread, nonblocking collectives are "
        "left to the MPI, but for long sums and equal blocks of ranks that share memory");
  }
  open_.store(true, std::memory_order_release);
  return true;
}

void Engine::close() {
  if (!is_open()) return;
  // Requests the program freed while they were pending still have to complete.
  const AwaitedAll all;
  wait_until([this] {
    const std::lock_guard lock(mutex_);
    return running_.empty();
  });
  stop_thread();
  doorbell_ = &own_doorbell_;  // the other goes with what the ranks of the host share
  free_released();
  open_.store(false, std::memory_order_release);
}

void Engine::stop_thread() {
  if (!has_thread_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  doorbell_->ring();
  ::pthread_join(thread_, nullptr);
  has_thread_ = false;
}

Operation* Engine::start(Task task, bool background, const Notice& notice) {
  auto* const operation = new Operation(std::move(task));
  begin(operation, background, notice);
  return operation;
}

void Engine::begin(Operation* operation, bool background, const Notice& notice) {
  operation->background = background;
  operation->without_mpi = background && in_memory_only_;
  if (operation->without_mpi && !has_thread_) start_thread_in_memory();
  operation->keep_floating_point();
  operation->references.store(2, std::memory_order_relaxed);  // the engine's and the caller's
  operation->signal = notice.signal;
  operation->has_handle = notice.handle != nullptr;
  if (operation->has_handle) {
    native().Grequest_start(query_request, free_request, cancel_request, operation, notice.handle);
    operation->handle = *notice.handle;
  }
  operation->has_request = operation->has_handle || notice.signal != nullptr;
  if (operation->has_request) {
    operation->request = notice.handle != nullptr ? *notice.handle : notice.signalled;
  }
  Lock lock(mutex_);
  running_.push_back(operation);
  if (operation->is_renewed()) plans_.count_reused();
  operation->begin();
  if (background) {
    raise_background(1, operation->has_handle ? 1 : 0);
    // On one host an exact time gains less than it takes to ask for it.
    if (!operation->stays_on_host()) operation->begin_rhythm(now_ns(), polls_);
  }
  settle(operation);
  // Others may wait for what they have sent to be taken, and nobody for such a copy: whoever drives
  // next, this thread where it waits, takes what has come first.
  const bool copies_later = operation->copies_for_itself();
  if (copies_later) post(lock);
  // While this thread copies or computes, others are answered where a core is free for that.
  if (background && parked_ && waiters_ == 0 && has_free_core() && operation->has_local()) {
    parked_ = false;
    doorbell_->ring();
  }
  if (!copies_later || !operation->is_in_flight()) work(lock, operation);
  if (!background || operation->done()) return;
  wake_thread(lock, !operation->stays_on_host());
}

void Engine::hold(const Task& task) {
  const std::lock_guard lock(mutex_);
  held_.push_back(&task);
  ++task.comm->operations;
}

void Engine::let_go(const Task& task) {
  const std::lock_guard lock(mutex_);
  std::erase(held_, &task);
  --task.comm->operations;
  release_unused(task.binding);
}

void Engine::release(Operation* operation) {
  if (operation->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (operation->is_kept()) {
    operation->rest();
  } else {
    delete operation;
  }
}

void Engine::release_handle(Operation* operation) {
  raise_attention(-1);
  release(operation);
}

void Engine::progress() {
  try_pass();
  free_released();
}

void Engine::catch_up() {
  if (background() > 0) progress();
  poke();
}

void Engine::wait(const Operation& operation) {
  const AwaitedOne one(operation);
  wait_until([&operation] { return operation.done(); });
}

void Engine::set_hosts(const Hosts& world) {
  const std::lock_guard lock(mutex_);
  oversubscribed_ = world.oversubscribed;
  spans_hosts_ = world.numbers.hosts > 1;
  shortest_pause_ns_ = spans_hosts_ || world.spare_cores ? kShortestPause : kLongestPause;
  Doorbell& before = *doorbell_;
  for (const auto& transport : transports_) {
    Doorbell* const shared = transport->doorbell();
    if (shared != nullptr) doorbell_ = shared;
  }
  before.ring();  // the progress thread sleeps by the other from now on
}

void Engine::ring_others() {
  if (driving_) return;  // the transports are another's now
  for (const auto& transport : transports_) transport->ring_others();
}

void Engine::attend(bool polls) {
  for (const auto& transport : transports_) transport->attend(polls);
}

void Engine::enter_wait() {
  ++this_thread.waits;
  const std::lock_guard lock(mutex_);
  if (++waiters_ > 1) return;
  attend(true);
  listen_unless_waiting();
}

void Engine::leave_wait() {
  --this_thread.waits;
  Doorbell* asleep = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (--waiters_ == 0) {
      attend(false);
      listen_unless_waiting();
    }
    if (parked_ && waiters_ == 0 && background() > 0) {
      parked_ = false;  // nobody else need wake it
      asleep = doorbell_;
    }
  }
  if (asleep != nullptr) asleep->ring();
}

void Engine::add_background(int change) {
  Lock lock(mutex_);
  raise_background(change);
  if (change > 0) wake_thread(lock, true);
}

void Engine::raise_background(int change, int handles) {
  background_.store(background() + change, std::memory_order_relaxed);
  const bool locks = change > 0 && has_thread_;
  const bool locks_anew = locks && !locks_on_.load(std::memory_order_relaxed);
  raise_attention(change + handles + (locks_anew ? 1 : 0));
  if (!locks) return;
  ++begun_;
  threads_.lock(true);
  locks_on_.store(true, std::memory_order_relaxed);
}

void Engine::wake_thread(Lock& lock, bool needs_polls) {
  if (needs_polls) ++needs_polls_;
  const bool unparks = parked_ && waiters_ == 0;
  const bool wakes = has_thread_ && (unparks || (naps_long_ && needs_polls));
  if (unparks) parked_ = false;  // nobody else need wake it
  Doorbell& doorbell = *doorbell_;
  lock.unlock();  // or it would wait for that next
  if (wakes) doorbell.ring();
}

void Engine::lower_locks() {
  // Then the progress thread is outside of the MPI, or computes for this very thread.
  const Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || driving_ || background() > 0) return;
  if (!locks_on_.load(std::memory_order_relaxed)) return;
  if (!keeps_locks_) threads_.lock(false);
  locks_on_.store(false, std::memory_order_relaxed);
  raise_attention(-1);
}

void Engine::keep_locks() {
  const std::lock_guard lock(mutex_);
  keeps_locks_ = true;
  threads_.lock(true);
}

bool Engine::owns(int count, const MPI_Request* requests) {
  const std::lock_guard lock(mutex_);
  return std::all_of(requests, requests + count, [this](MPI_Request request) {
    return std::ranges::any_of(running_, [request](const Operation* operation) {
      return operation->has_request && operation->request == request;
    });
  });
}

}  // namespace stretto
