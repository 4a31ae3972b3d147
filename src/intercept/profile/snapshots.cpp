#include "intercept/profile/snapshots.hpp"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cerrno>
#include <ctime>
#include <new>
#include <system_error>

#include "base/config.hpp"
#include "base/log.hpp"
#include "intercept/profile/endings.hpp"

namespace stretto::intercept::profile {
namespace {

constexpr int kAwaitedMs = 2000;

}  // namespace

void Snapshots::open(const ProfileSession& session, long every_s) {
  const auto folder = setting("STRETTO_PROFILE_FOLDER");
  if (!folder) return;
  session_ = session;
  folder_ = *folder;
  every_s_ = every_s;
  ::sem_init(&wake_, 0, 0);
  // It must not be the one that gets a signal of the program's.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this, rank = this_thread.rank] {
      this_thread.rank = rank;
      run();
    });
  } catch (const std::system_error&) {
    thread_ = {};  // The system gives none, and a whole profile needs none.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (thread_.joinable()) watch_endings(*this);
}

void Snapshots::run() {
  is_snapshot_thread = true;
  ::prctl(PR_SET_NAME, "stretto");
  for (;;) {
    sleep();
    const int asked = asked_.exchange(0);
    if (asked == 0 && stopping_) return;  // a signal ends it, though it has come so far
    write(asked);
    if (asked != 0) is_written_ = true;
    if (asked > 0 && !is_fault(asked)) end_by(asked);
  }
}

void Snapshots::sleep() {
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += every_s_;
  while ((every_s_ > 0 ? ::sem_timedwait(&wake_, &until) : ::sem_wait(&wake_)) != 0 &&
         errno == EINTR) {
  }
}

void Snapshots::write(int why) {
  const std::lock_guard lock(mutex_);
  if (folder_.empty()) return;
  if (why != 0 && *why_ == '\0') {
    why_ = why == kAbort ? "MPI_Abort" : why == kExit ? "exit" : name_of(why);
  }
  bool written = false;
  try {
    written = write_snapshot(folder_, session_, CallRecorder::get(), number_ + 1, why_);
  } catch (const std::bad_alloc&) {
    written = false;  // The program may have no memory left, and goes on.
  }
  if (written) {
    ++number_;
  } else if (!has_failed_) {
    say("cannot write into %s: what rank %d has recorded until now is not there", folder_.c_str(),
        session_.rank.rank);
  }
  has_failed_ = !written;
}

void Snapshots::close() {
  if (!thread_.joinable()) return;
  leave_endings(*this);
  stopping_ = true;
  ::sem_post(&wake_);
  thread_.join();
  ::sem_destroy(&wake_);
}

void Snapshots::remove() {
  const std::lock_guard lock(mutex_);
  if (number_ > 0) remove_snapshot(folder_, session_, number_);
  folder_.clear();
}

void Snapshots::ask(int why) {
  if (!thread_.joinable()) return;
  is_written_ = false;
  asked_ = why;
  ::sem_post(&wake_);
}

void Snapshots::await() const {
  if (!thread_.joinable()) return;
  for (int ms = 0; ms < kAwaitedMs && !is_written_; ++ms) ::poll(nullptr, 0, 1);
}

}  // namespace stretto::intercept::profile
