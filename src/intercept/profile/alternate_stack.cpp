#include "intercept/profile/alternate_stack.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace stretto::intercept::profile {
namespace {

// Who handles the signal after us may print a backtrace there. What is not touched takes no memory.
constexpr std::size_t kStackBytes = std::size_t{256} << 10;

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

void AlternateStack::set() {
  stack_t now{};
  if (memory_ != nullptr || ::sigaltstack(nullptr, &now) != 0) return;
  if ((now.ss_flags & SS_DISABLE) == 0) return;
  const std::size_t page = page_bytes();
  void* const memory = ::mmap(nullptr, page + kStackBytes, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t ours{};
  ours.ss_sp = static_cast<std::byte*>(memory) + page;
  ours.ss_size = kStackBytes;
  const bool is_set = ::mprotect(ours.ss_sp, kStackBytes, PROT_READ | PROT_WRITE) == 0 &&
                      ::sigaltstack(&ours, nullptr) == 0;
  if (!is_set) {
    ::munmap(memory, page + kStackBytes);
    return;
  }
  memory_ = memory;
  thread_ = ::pthread_self();
}

void AlternateStack::unset() {
  if (memory_ == nullptr || ::pthread_equal(thread_, ::pthread_self()) == 0) return;
  const std::size_t page = page_bytes();
  stack_t now{};
  // Whoever has set another may set back what was there before: the memory stays.
  const bool is_ours = ::sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_ONSTACK) == 0 &&
                       now.ss_sp == static_cast<std::byte*>(memory_) + page;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (is_ours && ::sigaltstack(&none, nullptr) == 0) ::munmap(memory_, page + kStackBytes);
  memory_ = nullptr;
}

}  // namespace stretto::intercept::profile
