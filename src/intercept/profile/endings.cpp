#include "intercept/profile/endings.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "intercept/profile/alternate_stack.hpp"
#include "intercept/profile/snapshots.hpp"
#include "intercept/shared/entry.hpp"

namespace stretto::intercept::profile {
namespace {

struct WatchedSignal {
  int signal;
  const char* name;
  bool is_fault;
};
// What batch systems and users end programs with, and what programs end themselves with.
constexpr std::array kEndings{
    WatchedSignal{SIGTERM, "SIGTERM", false}, WatchedSignal{SIGINT, "SIGINT", false},
    WatchedSignal{SIGHUP, "SIGHUP", false},   WatchedSignal{SIGXCPU, "SIGXCPU", false},
    WatchedSignal{SIGUSR1, "SIGUSR1", false}, WatchedSignal{SIGUSR2, "SIGUSR2", false},
    WatchedSignal{SIGSEGV, "SIGSEGV", true},  WatchedSignal{SIGBUS, "SIGBUS", true},
    WatchedSignal{SIGFPE, "SIGFPE", true},    WatchedSignal{SIGILL, "SIGILL", true},
    WatchedSignal{SIGABRT, "SIGABRT", true},
};

// A launcher and a batch system may both send one. Who sends it again so much later has waited in
// vain for the thread that writes.
constexpr std::int64_t kInVain = 2'000'000'000;  // ns

struct HandlerBefore {
  bool is_ours = false;
  struct sigaction before{};
  std::atomic<std::int64_t> first_ns{0};  // when that signal came
};
constinit std::array<HandlerBefore, kEndings.size()> watched{};
constinit std::atomic<Snapshots*> watching{nullptr};
constinit std::atomic<pid_t> process{0};
constinit AlternateStack alternate_stack{};

std::size_t place_of_signal(int signal) {
  std::size_t i = 0;
  while (i + 1 < kEndings.size() && kEndings[i].signal != signal) ++i;
  return i;
}

// A function of a library's that prints where it was, which every program of its language or
// network has: not the program's own.
bool prints_where(void* function) {
  if (is_the_mpis(function)) return true;
  Dl_info object{};
  if (::dladdr(function, &object) == 0 || object.dli_fname == nullptr) return false;
  const std::string_view path(object.dli_fname);
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(std::array{"libgfortran.", "libifcore", "libucs."},
                             [file](const char* name) { return file.starts_with(name); });
}

bool is_nobodys(const struct sigaction& action) {
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    return prints_where(reinterpret_cast<void*>(action.sa_sigaction));
  }
  if (action.sa_handler == SIG_IGN) return false;
  return action.sa_handler == SIG_DFL || prints_where(reinterpret_cast<void*>(action.sa_handler));
}

// Nothing is written in here: that is for the thread that it wakes. Where the program goes on
// meanwhile, that thread ends it; where it cannot go on this one waits, and no longer than needed
// to write, as it may hold what the other needs.
void on_ending(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  Snapshots* const snapshots = watching;
  const bool is_here = ::getpid() == process && !is_snapshot_thread && snapshots != nullptr;
  const bool waits = kEndings[place_of_signal(signal)].is_fault;
  auto& [is_ours, before, first_ns] = watched[place_of_signal(signal)];
  std::int64_t first = 0;
  const std::int64_t now = now_ns();
  const bool is_in_vain =
      is_here && !first_ns.compare_exchange_strong(first, now) && now - first > kInVain;
  if (is_here) snapshots->ask(signal);
  if (is_here && waits) snapshots->await();
  if (!is_here || waits || is_in_vain) {
    ::sigaction(signal, &before, nullptr);
    // What the processor has found it will find again; what was sent is sent again.
    if (!waits || info->si_code <= 0) ::raise(signal);
  }
  errno = error;
}

bool watch(int signal) {
  struct sigaction action{};
  action.sa_sigaction = on_ending;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  return ::sigaction(signal, &action, nullptr) == 0;
}

using Abort = void (*)();
constinit Abort real_abort = nullptr;

}  // namespace

void watch_endings(Snapshots& snapshots) {
  Snapshots* none = nullptr;
  if (!watching.compare_exchange_strong(none, &snapshots)) return;
  process = ::getpid();
  real_abort = reinterpret_cast<Abort>(::dlsym(RTLD_NEXT, "abort"));
  for (std::size_t i = 0; i < kEndings.size(); ++i) {
    auto& [is_ours, before, first_ns] = watched[i];
    first_ns = 0;
    is_ours = ::sigaction(kEndings[i].signal, nullptr, &before) == 0 && is_nobodys(before);
    is_ours = is_ours && watch(kEndings[i].signal);
  }
  // A stack that overflows has no room for a handler.
  if (watched[place_of_signal(SIGSEGV)].is_ours) alternate_stack.set();
}

void leave_endings(Snapshots& snapshots) {
  if (watching != &snapshots) return;
  // Whoever has set a handler meanwhile that runs on the stack it found relies on that.
  struct sigaction of_faults{};
  const bool others_stand_on_it =
      ::sigaction(SIGSEGV, nullptr, &of_faults) == 0 && (of_faults.sa_flags & SA_ONSTACK) != 0 &&
      ((of_faults.sa_flags & SA_SIGINFO) == 0 || of_faults.sa_sigaction != on_ending);
  for (std::size_t i = 0; i < kEndings.size(); ++i) {
    struct sigaction now{};
    if (!watched[i].is_ours || ::sigaction(kEndings[i].signal, nullptr, &now) != 0) continue;
    // The program may have set its own meanwhile.
    if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != on_ending) continue;
    ::sigaction(kEndings[i].signal, &watched[i].before, nullptr);
  }
  if (!others_stand_on_it) alternate_stack.unset();
  watching = nullptr;
}

bool is_fault(int signal) { return kEndings[place_of_signal(signal)].is_fault; }
const char* name_of(int signal) { return kEndings[place_of_signal(signal)].name; }

void end_by(int signal) {
  ::sigaction(signal, &watched[place_of_signal(signal)].before, nullptr);
  ::kill(::getpid(), signal);
}

}  // namespace stretto::intercept::profile

using namespace stretto::intercept::profile;

// libgfortran's `call abort()` shows where it is, and takes away whoever handles SIGABRT before it
// aborts. Where the program itself did so this changes nothing but that a record is written.
extern "C" void abort() {
  struct sigaction now{};
  if (watching != nullptr && watched[place_of_signal(SIGABRT)].is_ours &&
      ::sigaction(SIGABRT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
      now.sa_handler == SIG_DFL) {
    watch(SIGABRT);
  }
  const Abort real =
      real_abort != nullptr ? real_abort : reinterpret_cast<Abort>(::dlsym(RTLD_NEXT, "abort"));
  real();
  ::_exit(127);  // It does not come back.
}
