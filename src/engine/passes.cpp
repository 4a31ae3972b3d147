// A pass over what is under way: polls for messages, posts what may be, computes what is to be, and
// retires what is over.

#include <algorithm>

#include "base/clock.hpp"
#include "engine/engine.hpp"

namespace stretto {

// After anything has become of an operation.
void Engine::settle(Operation* operation) {
  if (!driving_ && operation->has_posts() && operation->post_at_once()) {
    // Another operation's message may have waited for this one's number.
    may_post_ = may_post_ || !to_post_.empty();
  }
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
  parts_moved_ = false;
  for (const auto& transport : transports_) {
    if (driving_ || transport->idle()) continue;
    if (!may_call_mpi() && !transport->stays_on_host()) continue;
    const std::vector<Transport::Completed>* completed = nullptr;
    drive(lock, [&] { completed = &transport->poll(); });
    parts_moved_ = parts_moved_ || transport->has_moved();
    const std::int64_t now = completed->empty() ? 0 : now_ns();
    for (const auto& [token, error] : *completed) {
      auto* const operation = static_cast<Operation*>(token.owner);
      operation->message_done(token.step, error);
      if (operation->background) operation->keep_rhythm(token.step, now, polls_);
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
  const bool may_cancel = may_call_mpi();
  while (!driving_ && (may_post_ || (may_cancel && !to_cancel_.empty()))) {
    may_post_ = false;
    posts_.clear();
    // The oldest first: the others wait for what it posts.
    std::erase_if(to_post_, [this](Operation* operation) {
      if (!may_advance(*operation)) return false;
      operation->take_posts(posts_);
      operation->listed.to_post = operation->has_posts();
      return !operation->listed.to_post;
    });
    std::vector<Operation*> to_cancel;
    if (may_cancel) to_cancel.swap(to_cancel_);
    if (posts_.empty() && to_cancel.empty()) {
      may_post_ = !may_cancel && !to_post_.empty();  // by a thread that may call the MPI
      break;
    }
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
  Operation* const operation = take(to_compute_, [this, only](const Operation* each) {
    return (only == nullptr || each == only) && may_advance(*each) &&
           (may_call_mpi() || !each->calls_mpi());
  });
  if (operation != nullptr) return operation;
  // Not beside a program with one thread, which waits for the function, perhaps with a lock held.
  if (!may_call_mpi() || (is_progress_thread && !program_has_threads_)) return nullptr;
  // Who begins one in the background does not wait for it, and may hold a lock that it needs.
  return take(to_call_, [only](const Operation* each) {
    return (each == only && !each->background) ||
           (this_thread.awaited != nullptr && this_thread.awaited->has(*each));
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
  // nothing, and what the function calls waits for nothing else.
  const int waits = calls ? std::exchange(this_thread.waits, 0) : 0;
  const Awaited* const awaited = this_thread.awaited;
  if (calls) this_thread.awaited = nullptr;
  waiters_ -= waits;
  if (waits > 0) listen_unless_waiting();
  if (parked_ && waits > 0 && waiters_ == 0 && background() > 0) doorbell_->ring();
  lock.unlock();
  const int error = operation->compute(step);
  lock.lock();
  this_thread.awaited = awaited;
  this_thread.waits += waits;
  waiters_ += waits;
  if (waits > 0) listen_unless_waiting();
  if (waits > 0 && waiters_ == waits) attend(true);  // another's wait may have ended meanwhile
  operation->computed(step, error);
  settle(operation);
  return true;
}

bool Engine::must_call() const {
  return program_has_threads_ && !in_memory_only_ &&
         std::ranges::any_of(to_call_, [](const Operation* each) { return each->background; });
}

bool Engine::retire(Lock& lock) {
  if (ended_.empty() || !may_call_mpi()) return false;
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
  if (operation->background) {
    background_.store(background() - 1, std::memory_order_relaxed);
    raise_attention(-1);
  }
  lock.unlock();
  release(operation);
  lock.lock();
  return true;
}

bool Engine::work(Lock& lock, const Operation* only) {
  bool any = false;
  while (post(lock) || compute(lock, only) || retire(lock)) any = true;
  if ((parked_ || napping_) && must_call()) doorbell_->ring();
  return any;
}

bool Engine::pass(Lock& lock) {
  // A poll would move messages of those, too.
  const auto may = [this](const Operation* each) { return may_advance(*each); };
  if (!may_call_mpi() && !std::ranges::all_of(running_, may)) return false;
  bool moved = poll(lock);
  if (work(lock)) moved = true;
  if (moved || parts_moved_) moves_.fetch_add(1, std::memory_order_relaxed);
  return moved;
}

Engine::Moved Engine::try_pass() {
  Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return Moved::nothing;
  ++polls_;
  if (pass(lock)) return Moved::whole;
  if (!driving_) stays_on_host_.store(stays_on_host(), std::memory_order_relaxed);
  return parts_moved_ ? Moved::parts : Moved::nothing;
}

}  // namespace stretto
