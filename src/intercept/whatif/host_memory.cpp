#include "intercept/whatif/host_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <new>

#include "base/clock.hpp"
#include "base/doorbell.hpp"
#include "base/futex.hpp"

namespace stretto::intercept::whatif {
namespace {

constexpr std::uint64_t kSlots = 64;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace

// A slot itself says which clock message it has, and the writer asks how many were read only where
// the ring may be full: what goes from core to core with a message is the message.
struct alignas(64) HostMemory::Ring {
  alignas(64) std::atomic<std::uint64_t> read{0};
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> written{0};  // the number of its message, from 1 on
    ClockMessage message;
  };
  std::array<Slot, kSlots> slots;
};

struct alignas(64) HostMemory::Doorbell : stretto::Doorbell {};

struct alignas(64) HostMemory::Head {
  FutexWord tokens{0};
  FutexWord waiting{0};
};

HostMemory::Head& HostMemory::head() const { return *reinterpret_cast<Head*>(base_); }

HostMemory::Doorbell& HostMemory::doorbell_of(int rank) const {
  return reinterpret_cast<Doorbell*>(base_ + sizeof(Head))[rank];
}

HostMemory::Ring& HostMemory::ring(int from, int to) const {
  auto* const first = reinterpret_cast<Ring*>(base_ + sizeof(Head) +
                                              static_cast<std::size_t>(ranks_) * sizeof(Doorbell));
  return first[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) +
               static_cast<std::size_t>(to)];
}

bool HostMemory::map(int fd, int local, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  size_ = sizeof(Head) + n * sizeof(Doorbell) + n * n * sizeof(Ring);
  local_ = local;
  ranks_ = ranks;
  ends_.resize(n);
  // Untouched pages take no memory, and are zero: as good as constructed.
  // Where there is no room for them when they are touched, that ends the process.
  struct statvfs room{};
  const bool fits = fstatvfs(fd, &room) == 0 && room.f_bavail * room.f_frsize > size_;
  if (!fits || ftruncate(fd, static_cast<off_t>(size_)) != 0) return false;
  void* const at = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(at);
  return true;
}

std::string HostMemory::create(int ranks, int tokens) {
  std::string name = "/stretto-" + std::to_string(getpid()) + "-" + std::to_string(now_ns());
  const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return {};
  const bool mapped = map(fd, 0, ranks);
  ::close(fd);
  if (!mapped) {
    forget_name(name);
    return {};
  }
  head().tokens = static_cast<std::uint32_t>(tokens);
  return name;
}

bool HostMemory::open(const std::string& name, int local, int ranks) {
  const int fd = shm_open(name.c_str(), O_RDWR, 0);
  if (fd < 0) return false;
  const bool mapped = map(fd, local, ranks);
  ::close(fd);
  return mapped;
}

void HostMemory::forget_name(const std::string& name) { shm_unlink(name.c_str()); }

void HostMemory::close() {
  if (base_ != nullptr) munmap(base_, size_);
  base_ = nullptr;
}

HostMemory::~HostMemory() { close(); }

bool HostMemory::put(int to, const ClockMessage& message, std::size_t size) {
  Ring& into = ring(local_, to);
  Ends& ends = ends_[static_cast<std::size_t>(to)];
  if (ends.written - ends.known_read == kSlots) {
    ends.known_read = into.read.load(std::memory_order_acquire);
    if (ends.written - ends.known_read == kSlots) return false;
  }
  Ring::Slot& slot = into.slots[ends.written % kSlots];
  std::memcpy(static_cast<void*>(&slot.message), &message, size);
  slot.written.store(++ends.written, std::memory_order_release);
  return true;
}

const ClockMessage* HostMemory::front(int from) const {
  const std::uint64_t read = ends_[static_cast<std::size_t>(from)].read;
  const Ring::Slot& slot = ring(from, local_).slots[read % kSlots];
  return slot.written.load(std::memory_order_acquire) == read + 1 ? &slot.message : nullptr;
}

void HostMemory::drop(int from) {
  Ends& ends = ends_[static_cast<std::size_t>(from)];
  ring(from, local_).read.store(++ends.read, std::memory_order_release);
}

void HostMemory::ring_doorbell(int rank) { doorbell_of(rank).ring(); }

std::uint32_t HostMemory::doorbell(int rank) const { return doorbell_of(rank).rings(); }

void HostMemory::sleep(int rank, std::uint32_t seen, std::int64_t at_most_ns) {
  doorbell_of(rank).wait(seen, at_most_ns);
}

bool HostMemory::take_token(std::int64_t at_most_ns) {
  Head& shared = head();
  const timespec at_most{.tv_sec = 0, .tv_nsec = at_most_ns};
  for (const std::int64_t begin = now_ns();;) {
    std::uint32_t free = shared.tokens.load();
    while (free > 0) {
      if (shared.tokens.compare_exchange_weak(free, free - 1)) return true;
    }
    if (now_ns() - begin >= at_most_ns) return false;
    shared.waiting.fetch_add(1);
    futex_wait(shared.tokens, 0, &at_most);
    shared.waiting.fetch_sub(1);
  }
}

void HostMemory::give_token() {
  Head& shared = head();
  shared.tokens.fetch_add(1);
  if (shared.waiting.load() != 0) futex_wake(shared.tokens, 1);
}

}  // namespace stretto::intercept::whatif
