// The state of one MPI rank. Whatever belongs to a rank hangs from here and not from a singleton,
// so that several ranks may live in one process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace stretto {

class Awaited;
class Failures;
class RankContext;
namespace intercept {
class ToolCall;
}

// What a thread is in the middle of, for the rank that it runs. Who lets ranks take turns on a
// thread swaps it.
struct ThreadContext {
  RankContext* rank = nullptr;  // nullptr until it is asked for: the process's
  int wrappers = 0;             // of ours that it is in
  int waits = 0;                // of Stretto's that it is in, one within the other's callbacks
  const Awaited* awaited = nullptr;
  Failures* failures = nullptr;
  intercept::ToolCall* tool_call = nullptr;
};
inline constinit thread_local ThreadContext this_thread [[gnu::tls_model("initial-exec")]];

// Thread-safe. Parts are made when they are first asked for, and live as long as it does: those of
// the process for ever, as threads and functions that exit() calls may outlive main's statics.
class RankContext {
 public:
  static constexpr std::size_t kMostParts = 32;

  constexpr RankContext() = default;
  ~RankContext();
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  // Of the rank that this thread runs.
  [[nodiscard]] static RankContext& current() {
    return this_thread.rank != nullptr ? *this_thread.rank : of_process();
  }

  // Does the library take part in this rank's calls of MPI? Asked by nearly every one of them.
  std::atomic<bool> takes_part{false};
  // So much its calls which test or wait must see to (engine/attention.hpp). In a line of its own:
  // each nonblocking operation changes it, on the progress thread, too.
  alignas(64) std::atomic<int> attention{0};

  // Its one object of this type; nullptr where none has been asked for yet.
  template <class Part>
  [[nodiscard, gnu::always_inline]] Part* made() {
    const int slot = NumberOf<Part>::slot.load(std::memory_order_acquire);
    return slot < 0 ? nullptr : static_cast<Part*>(at(slot).load(std::memory_order_acquire));
  }
  // The same, default-constructed.
  template <class Part>
  [[nodiscard, gnu::always_inline]] Part& get() {
    Part* part = made<Part>();
    if (part == nullptr) [[unlikely]]
      part = static_cast<Part*>(make<Part>());
    return *part;
  }

 private:
  struct PartType {
    void* (*create)() = nullptr;
    void (*destroy)(void*) = nullptr;
  };
  // Where all ranks have a type's object: numbered when the first is asked for.
  template <class Part>
  struct NumberOf {
    static inline constinit std::atomic<int> slot{-1};
  };
  template <class Part>
  static void* create() {
    return new Part;
  }
  template <class Part>
  static void destroy(void* part) {
    delete static_cast<Part*>(part);
  }

  [[nodiscard]] static RankContext& of_process();
  [[nodiscard]] std::atomic<void*>& at(int slot) { return parts_[static_cast<std::size_t>(slot)]; }
  template <class Part>
  [[gnu::cold, gnu::noinline]] void* make() {
    return make(NumberOf<Part>::slot, {&create<Part>, &destroy<Part>});
  }
  void* make(std::atomic<int>& slot, const PartType& kind);

  alignas(64) std::array<std::atomic<void*>, kMostParts> parts_{};
};

// The part of the rank that this thread runs.
template <class Part>
[[nodiscard, gnu::always_inline]] inline Part& of_rank() {
  return RankContext::current().get<Part>();
}

// While it lives, this thread runs that rank.
class Running {
 public:
  explicit Running(RankContext& rank) : outer_(this_thread) { this_thread = {.rank = &rank}; }
  ~Running() { this_thread = outer_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  ThreadContext outer_;
};

}  // namespace stretto
