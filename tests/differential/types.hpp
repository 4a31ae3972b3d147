// The datatypes and operations that sequences use.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "random.hpp"

namespace differential {

// A datatype that frees itself, or earlier.
class Type {
 public:
  Type() = default;
  static Type predefined(MPI_Datatype type) { return {type, false}; }
  static Type derived(MPI_Datatype type);  // commits it
  Type(Type&& other) noexcept
      : handle_(other.handle_), owned_(std::exchange(other.owned_, false)) {}
  Type& operator=(Type&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Type() { free(); }

  [[nodiscard]] MPI_Datatype handle() const { return handle_; }
  void free();

 private:
  Type(MPI_Datatype handle, bool owned) : handle_(handle), owned_(owned) {}

  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

// Types of data that is moved. The first is MPI_INT.
constexpr int kTypes = 11;
const char* type_name(int type);
// For a buffer of so many elements, which some types interleave.
Type make_type(int type, int elements);
// Is an element three ints? Then another rank may call it MPI_INT x 3.
bool is_three_ints(int type);
bool is_interleaved(int type);
constexpr int kMixed = 6;   // a struct of char, ints and short
constexpr int kGapped = 4;  // three ints with gaps that are nobody's

// Types with an operation on them. The first is MPI_SUM of MPI_INT.
constexpr int kReductions = 15;
const char* reduction_name(int reduction);
Type make_reduced_type(int reduction);
// Puts values at `data` that give one answer in whatever order they are reduced.
void fill_for(int reduction, Random& random, std::byte* data, int elements);

// An operation that frees itself, or earlier.
class Op {
 public:
  Op() = default;
  explicit Op(int reduction);
  Op(Op&& other) noexcept : handle_(other.handle_), owned_(std::exchange(other.owned_, false)) {}
  Op& operator=(Op&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Op() { free(); }

  [[nodiscard]] MPI_Op handle() const { return handle_; }
  void free();

 private:
  MPI_Op handle_ = MPI_OP_NULL;
  bool owned_ = false;
};

}  // namespace differential
