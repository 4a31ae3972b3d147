// The datatypes, the operation and the buffers of api_random.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <random>
#include <vector>

constexpr MPI_Aint kGuard = 64;  // bytes around each buffer that nothing may touch

// An associative operation that does not commute: 2x2 matrices modulo 2^32.
inline void multiply(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  const auto* left = static_cast<const unsigned*>(in);
  auto* right = static_cast<unsigned*>(inout);
  for (int i = 0; i < *length; ++i, left += 4, right += 4) {
    const unsigned product[4] = {
        left[0] * right[0] + left[1] * right[2], left[0] * right[1] + left[1] * right[3],
        left[2] * right[0] + left[3] * right[2], left[2] * right[1] + left[3] * right[3]};
    std::copy(product, product + 4, right);
  }
}

struct Types {
  MPI_Datatype matrix{};    // 4 contiguous ints
  MPI_Datatype gapped{};    // every other int of 5
  MPI_Datatype negative{};  // lower bound below its address
  MPI_Datatype empty{};     // no bytes at all
  MPI_Op multiply_matrices{};

  Types() {
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_vector(3, 1, 2, MPI_INT, &gapped);
    int lengths[2] = {1, 2};
    MPI_Aint places[2] = {-8, 4};
    MPI_Datatype parts[2] = {MPI_INT, MPI_INT};
    MPI_Datatype plain{};
    MPI_Type_create_struct(2, lengths, places, parts, &plain);
    MPI_Type_create_resized(plain, -12, 28, &negative);
    MPI_Type_free(&plain);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    for (MPI_Datatype* type : {&matrix, &gapped, &negative, &empty}) MPI_Type_commit(type);
    MPI_Op_create(multiply, 0, &multiply_matrices);
  }
  ~Types() {
    for (MPI_Datatype* type : {&matrix, &gapped, &negative, &empty}) MPI_Type_free(type);
    MPI_Op_free(&multiply_matrices);
  }
};

class Buffer {
 public:
  Buffer(MPI_Datatype type, long elements, unsigned seed) {
    MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    const MPI_Aint below = std::max<MPI_Aint>(0, -true_lower) + kGuard;
    const MPI_Aint above = std::max<MPI_Aint>(0, true_lower + true_extent) + kGuard;
    base_ = below;
    bytes_.resize(static_cast<std::size_t>(below + elements * extent + above));
    std::minstd_rand random(seed);
    for (auto& byte : bytes_) byte = static_cast<unsigned char>(random());
  }
  void* data() { return bytes_.data() + base_; }
  bool operator==(const Buffer&) const = default;
  // What lies after so many bytes of elements becomes what `other` has there.
  void take_rest(const Buffer& other, MPI_Aint bytes) {
    const auto first = static_cast<std::ptrdiff_t>(base_ + bytes);
    const auto last = static_cast<std::ptrdiff_t>(bytes_.size()) - kGuard;
    if (first < last) {
      std::copy(other.bytes_.begin() + first, other.bytes_.begin() + last, bytes_.begin() + first);
    }
  }

 private:
  std::vector<unsigned char> bytes_;
  MPI_Aint base_ = 0;
};
