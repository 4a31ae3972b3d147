// What every generated entry point is made of, whatever its library does with the call.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/rank_context.hpp"
#include "mpi/native.hpp"

// extern "C" and exported; mpi.h has declared it already.
#define STRETTO_ENTRY __attribute__((visibility("default")))

namespace stretto::intercept {

namespace detail {
inline std::atomic<bool>& active() { return RankContext::current().takes_part; }
}  // namespace detail

// Is this a library in which an MPI has its Fortran or C++ calls? They call for the program.
[[nodiscard]] bool is_language_binding(std::string_view file_name);

// Is this a library of an MPI, its bindings included?
[[nodiscard]] bool is_part_of_mpi(std::string_view file_name);

// Is the code at this address the MPI's own?
[[nodiscard]] bool is_the_mpis(void* address);

// Is it a tool's function that wraps one of the MPI's? It has that function's name.
[[nodiscard]] bool is_wrapper(void* address);

// What the MPI calls on its own behalf inside of a wrapper is its own; a callback of the program's
// (of an attribute, an error handler) is not. Inside of calls that no wrapper has, or that test,
// wait or move a message and went straight to the MPI, what it calls is taken for the program's,
// too: such collectives, on communicators of its own, which Stretto does not know, go on to the
// MPI.
[[nodiscard]] inline bool is_the_programs(void* caller) {
  return this_thread.wrappers == 0 || !is_the_mpis(caller);
}

// To be asked by an entry point: is this call one that Stretto takes part in?
[[nodiscard]] inline bool is_active(void* caller) {
  return detail::active().load(std::memory_order_acquire) && is_the_programs(caller);
}

// The caller's rank, where Stretto takes part in its calls and none of its wrappers has the caller.
// nullptr, too, on a thread that has asked for nothing of its rank's yet.
[[nodiscard, gnu::always_inline]] inline RankContext* outermost_rank() {
  RankContext* const rank = this_thread.rank;
  const bool takes_part = rank != nullptr && rank->takes_part.load(std::memory_order_acquire);
  return takes_part && this_thread.wrappers == 0 ? rank : nullptr;
}

// Held while a wrapper runs.
class Inside {
 public:
  Inside() { ++this_thread.wrappers; }
  ~Inside() { --this_thread.wrappers; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// PMPI_<name> of the MPI in this process. Where there is none the program is stopped with
// one line: it reached MPI in a way Stretto cannot follow (linked statically, say).
[[nodiscard]] void* existing_function(const char* name);
template <class Function>
[[nodiscard]] Function real_function(const char* name) {
  return reinterpret_cast<Function>(existing_function(name));
}

// What a call of the program's MPI_X goes on to.
struct Reached {
  const char* name;  // MPI_X
  void* real;        // PMPI_X of the MPI; may be none where it is a persistent collective
  // MPI_X of a tool that the loader finds after Stretto, if there is one: the call is the tool's
  // first, as it would be without Stretto, and Stretto's when the tool calls PMPI_X.
  void* tool;
};
// `straight`: gets the real one where there is no such tool, so that a call which is the MPI's
// alone need ask for nothing else.
[[nodiscard]] Reached reach(const char* name, std::atomic<void*>* straight = nullptr);
[[nodiscard]] Reached reach_persistent(const char* name);

// Held while a tool beneath has a call of the program's.
class ToolCall {
 public:
  ToolCall(const Reached& what, void* caller)
      : what_(&what), caller_(caller), outer_(std::exchange(this_thread.tool_call, this)) {}
  ~ToolCall() {
    this_thread.tool_call = outer_;
    if (!heard_) was_passed_by(*what_);
  }
  ToolCall(const ToolCall&) = delete;
  ToolCall& operator=(const ToolCall&) = delete;

  // To be asked by PMPI_X: who called the MPI_X that it is for, whatever the tool is.
  [[nodiscard]] static void* caller(const Reached& what, void* caller) {
    ToolCall* const innermost = this_thread.tool_call;
    if (innermost == nullptr || innermost->what_ != &what || innermost->heard_) return caller;
    innermost->heard_ = true;
    return innermost->caller_;
  }

 private:
  static void was_passed_by(const Reached& what);

  const Reached* what_;
  void* caller_;
  ToolCall* outer_;
  bool heard_ = false;
};

// MPI_X of an entry point that `act` is for, and its PMPI_X.
template <class Act, class... Arguments>
[[gnu::always_inline]] inline auto enter(const Reached& what, void* caller, const Act& act,
                                         Arguments... arguments) {
  if (what.tool == nullptr) [[likely]]
    return act(what, caller, arguments...);
  const ToolCall tool_call(what, caller);
  using Result = decltype(act(what, caller, arguments...));
  return reinterpret_cast<Result (*)(Arguments...)>(what.tool)(arguments...);
}
template <class Act, class... Arguments>
[[gnu::always_inline]] inline auto enter_profiled(const Reached& what, void* caller, const Act& act,
                                                  Arguments... arguments) {
  return act(what, what.tool == nullptr ? caller : ToolCall::caller(what, caller), arguments...);
}

// An argument of a function whose ABI may not be ours, as it travels: no argument of an MPI
// function is wider, and none is floating-point.
using Word = std::intptr_t;
template <class Type>
[[nodiscard]] Type from_word(Word word) {
  if constexpr (std::is_pointer_v<Type>) {
    return reinterpret_cast<Type>(word);
  } else {
    return static_cast<Type>(word);
  }
}

}  // namespace stretto::intercept
