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

bool Engine::open(int program_level, bool thread_by_default, Transports transports) {
  const std::lock_guard lock(opening_);
  if (is_open()) return true;
  if (!own_channel::open()) return false;
  // Communicators of an earlier session may still have routes over those that it had.
  if (transports_.empty()) transports_ = std::move(transports);
  threads_.start(program_level);
  program_has_threads_ = program_level == MPI_THREAD_MULTIPLE;
  const long stall_s = number_setting("STRETTO_STALL_SECONDS", 0).value_or(kStallSeconds);
  if (stall_s > 0) stall_ns_ = std::int64_t{stall_s} * 1'000'000'000;
  plans_.read_setting();
  const std::optional<bool> wanted = switch_setting("STRETTO_PROGRESS_THREAD");
  if (wanted.value_or(thread_by_default) && threads_.multiple()) {
    has_thread_ = true;
    stopping_ = false;
    start_progress_thread();
  } else if (wanted.value_or(false)) {
    say("this MPI gives no MPI_THREAD_MULTIPLE: no progress thread, nonblocking collectives are "
        "left to the MPI");
  }
  open_.store(true, std::memory_order_release);
  return true;
}

void Engine::close() {
  if (!is_open()) return;
  // Requests the program freed while they were pending still have to complete.
  wait_until([this] {
    const std::lock_guard lock(mutex_);
    return running_.empty();
  });
  stop_thread();
  free_released();
  open_.store(false, std::memory_order_release);
}

void Engine::stop_thread() {
  if (!has_thread_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  ::pthread_join(thread_, nullptr);
  has_thread_ = false;
}

Operation* Engine::start(Task task, bool background, const Notice& notice) {
  auto* const operation = new Operation(std::move(task));
  operation->background = background;
  if (has_thread_) operation->keep_floating_point();
  operation->references = 2;  // the engine's and the caller's
  operation->signal = notice.signal;
  if (notice.handle != nullptr) {
    handles_.fetch_add(1, std::memory_order_relaxed);
    native().Grequest_start(query_request, free_request, cancel_request, operation, notice.handle);
    operation->handle = *notice.handle;
    operation->has_handle = true;
  }
  operation->has_request = notice.handle != nullptr || notice.signal != nullptr;
  if (operation->has_request) {
    operation->request = notice.handle != nullptr ? *notice.handle : notice.signalled;
  }
  Lock lock(mutex_);
  running_.push_back(operation);
  if (background) {
    raise_background(1);
    operation->begin_rhythm(now_ns(), polls_);
  }
  operation->begin();
  settle(operation);
  work(lock, operation);
  return operation;
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
  if (operation->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete operation;
}

void Engine::release_handle(Operation* operation) {
  handles_.fetch_sub(1, std::memory_order_relaxed);
  release(operation);
}

// After anything has become of an operation.
void Engine::settle(Operation* operation) {
  const auto list = [operation](bool belongs, bool& listed, std::vector<Operation*>& where) {
    if (!belongs || listed) return;
    listed = true;
    where.push_back(operation);
  };
  Operation::Listed& listed = operation->listed;
  may_post_ = may_post_ || operation->has_posts() || operation->takes_back();
  list(operation->has_posts(), listed.to_post, to_post_);
  if (operation->has_local()) {
    list(true, listed.to_compute, operation->calls_program() ? to_call_ : to_compute_);
  }
  list(operation->cancels(), listed.to_cancel, to_cancel_);
  if (!operation->over() || listed.ended) return;
  list(true, listed.ended, ended_);
  release_unused(operation->task().binding);  // before anybody sees that it is over
  operation->finish();
}

bool Engine::has_messages() const {
  return std::ranges::any_of(transports_, [](const auto& each) { return !each->idle(); });
}

bool Engine::stays_on_host() const {
  return has_messages() && std::ranges::all_of(transports_, [](const auto& each) {
           return each->stays_on_host() || each->idle();
         });
}

bool Engine::poll(Lock& lock) {
  bool any = false;
  for (const auto& transport : transports_) {
    if (driving_ || transport->idle()) continue;
    const std::vector<Transport::Completed>* completed = nullptr;
    drive(lock, [&] { completed = &transport->poll(); });
    for (const auto& [token, error] : *completed) {
      auto* const operation = static_cast<Operation*>(token.owner);
      operation->message_done(token.step, error);
      if (operation->background) operation->keep_rhythm(token.step, now_ns(), polls_);
      settle(operation);
      any = true;
    }
  }
  return any;
}

// Whoever finds the transport in use leaves this to the thread that uses it, which polls again
// before it goes.
bool Engine::post(Lock& lock) {
  bool any = false;
  while (!driving_ && (may_post_ || !to_cancel_.empty())) {
    may_post_ = false;
    posts_.clear();
    // The oldest first: the others wait for what it posts.
    std::erase_if(to_post_, [this](Operation* operation) {
      operation->take_posts(posts_);
      operation->listed.to_post = operation->has_posts();
      return !operation->listed.to_post;
    });
    std::vector<Operation*> to_cancel;
    to_cancel.swap(to_cancel_);
    if (posts_.empty() && to_cancel.empty()) break;
    drive(lock, [&] {
      for (auto& [operation, step, error] : posts_) error = operation->post(step);
      for (const Operation* operation : to_cancel) {
        for (const auto& transport : transports_) transport->cancel_receives(operation);
      }
    });
    for (Operation* operation : to_cancel) {
      operation->cancelled();
      operation->listed.to_cancel = false;
      settle(operation);
    }
    for (const auto& [operation, step, error] : posts_) {
      operation->posted(step, error);
      settle(operation);
    }
    may_post_ = !to_post_.empty();  // by what was posted
    any = true;
  }
  return any;
}

Operation* Engine::take_to_compute(const Operation* only) {
  const auto take = [](std::vector<Operation*>& from, const auto& may) -> Operation* {
    const auto found = std::ranges::find_if(from, may);
    if (found == from.end()) return nullptr;
    Operation* const operation = *found;
    from.erase(found);
    return operation;
  };
  Operation* const operation =
      take(to_compute_, [only](const Operation* each) { return only == nullptr || each == only; });
  if (operation != nullptr) return operation;
  // Not beside a program with one thread, which waits for the function, perhaps with a lock held.
  if (is_progress_thread && !program_has_threads_) return nullptr;
  return take(to_call_, [only](const Operation* each) {
    return each == only || (this_thread.awaited != nullptr && this_thread.awaited->has(*each));
  });
}

// One copy or reduction; of `only` where it is given.
bool Engine::compute(Lock& lock, const Operation* only) {
  Operation* const operation = take_to_compute(only);
  if (operation == nullptr) return false;
  operation->listed.to_compute = false;
  if (!operation->has_local()) return true;  // it has failed since
  const bool calls = operation->calls_program();
  const StepId step = operation->take_local();
  // While it is in a function of the program's, which may wait for another thread, this one drives
  // nothing.
  const int waits = calls ? std::exchange(this_thread.waits, 0) : 0;
  waiters_ -= waits;
  if (parked_ && waits > 0 && waiters_ == 0 && background() > 0) wake_.notify_one();
  lock.unlock();
  const int error =
      is_progress_thread ? operation->compute_as_begun(step) : operation->compute(step);
  lock.lock();
  waiters_ += waits;
  this_thread.waits += waits;
  operation->computed(step, error);
  settle(operation);
  return true;
}

bool Engine::must_call() const {
  return program_has_threads_ &&
         std::ranges::any_of(to_call_, [](const Operation* each) { return each->background; });
}

bool Engine::retire(Lock& lock) {
  if (ended_.empty()) return false;
  Operation* const operation = ended_.back();
  ended_.pop_back();
  // Where it has failed it may still stand among those with something to do.
  const Operation::Listed& listed = operation->listed;
  if (listed.to_post) std::erase(to_post_, operation);
  if (listed.to_compute && std::erase(to_compute_, operation) == 0) {
    std::erase(to_call_, operation);
  }
  if (operation->has_handle || operation->signal) {
    lock.unlock();
    if (operation->has_handle) native().Grequest_complete(operation->handle);
    if (operation->signal) operation->signal->raise(operation->error());
    lock.lock();
  }
  // Only now: before MPI_Finalize, and before the MPI's locks are lowered, it has to be reported.
  std::erase(running_, operation);
  operations_ended_.fetch_add(1, std::memory_order_release);
  if (operation->background) background_.fetch_sub(1, std::memory_order_relaxed);
  lock.unlock();
  release(operation);
  lock.lock();
  return true;
}

bool Engine::work(Lock& lock, const Operation* only) {
  bool any = false;
  while (post(lock) || compute(lock, only) || retire(lock)) any = true;
  if ((parked_ || napping_) && must_call()) wake_.notify_one();
  return any;
}

bool Engine::pass(Lock& lock) {
  bool moved = poll(lock);
  if (work(lock)) moved = true;
  if (moved) moves_.fetch_add(1, std::memory_order_relaxed);
  return moved;
}

bool Engine::try_pass() {
  Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  ++polls_;
  const bool moved = pass(lock);
  if (!moved && !driving_) stays_on_host_.store(stays_on_host(), std::memory_order_relaxed);
  return moved;
}

void Engine::progress() {
  try_pass();
  free_released();
}

void Engine::wait(const Operation& operation) {
  const AwaitedOne one(operation);
  wait_until([&operation] { return operation.done(); });
}

void Engine::attend(bool polls) {
  for (const auto& transport : transports_) transport->attend(polls);
}

void Engine::enter_wait() {
  ++this_thread.waits;
  const std::lock_guard lock(mutex_);
  if (++waiters_ == 1) attend(true);
}

void Engine::leave_wait() {
  --this_thread.waits;
  bool notify = false;
  {
    const std::lock_guard lock(mutex_);
    if (--waiters_ == 0) attend(false);
    notify = parked_ && waiters_ == 0 && background() > 0;
  }
  if (notify) wake_.notify_one();
}

void Engine::add_background(int change) {
  const std::lock_guard lock(mutex_);
  raise_background(change);
}

void Engine::raise_background(int change) {
  background_.fetch_add(change, std::memory_order_relaxed);
  if (change <= 0 || !has_thread_) return;
  ++begun_;
  threads_.lock(true);
  locks_on_ = true;
  if (parked_ && waiters_ == 0) wake_.notify_one();
}

void Engine::lower_locks() {
  // Then the progress thread is outside of the MPI, or computes for this very thread.
  const Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || driving_ || background() > 0) return;
  if (!keeps_locks_) threads_.lock(false);
  locks_on_ = false;
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
