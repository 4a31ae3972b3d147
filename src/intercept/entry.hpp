// What every generated entry point is made of, whatever its library does with the call.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "transport/mpi/native.hpp"

// extern "C" and exported; mpi.h has declared it already.
#define STRETTO_ENTRY __attribute__((visibility("default")))

namespace stretto::intercept {

namespace detail {
inline std::atomic<bool> active{false};
inline thread_local int depth [[gnu::tls_model("initial-exec")]] = 0;
}  // namespace detail

// Is this a library in which an MPI has its Fortran or C++ calls? They call for the program.
[[nodiscard]] bool is_language_binding(std::string_view file_name);

// Is this a library of an MPI, its bindings included?
[[nodiscard]] bool is_part_of_mpi(std::string_view file_name);

// Is the code at this address the MPI's own?
[[nodiscard]] bool is_the_mpis(void* address);

// To be asked by an entry point. What the MPI calls on its own behalf inside of a wrapper is
// its own; a callback of the program's (of an attribute, an error handler) is not.
[[gnu::always_inline]] [[nodiscard]] inline bool is_active() {
  if (!detail::active.load(std::memory_order_acquire)) return false;
  return detail::depth == 0 || !is_the_mpis(__builtin_return_address(0));
}

// Held while a wrapper runs.
class Inside {
 public:
  Inside() { ++detail::depth; }
  ~Inside() { --detail::depth; }
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
