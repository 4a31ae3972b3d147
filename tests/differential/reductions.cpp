// What is reduced and how. Whatever the order of a commutative operation, one answer: integers,
// and doubles that hold small ones.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "callbacks.hpp"
#include "types.hpp"

namespace differential {
namespace {

// 2x2 matrices modulo 2^32: associative, does not commute.
void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  call_as_an_operation(*type);
  const auto* left = static_cast<const std::uint32_t*>(in);
  auto* right = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *length; ++i, left += 4, right += 4) {
    const std::uint32_t product[] = {
        left[0] * right[0] + left[1] * right[2], left[0] * right[1] + left[1] * right[3],
        left[2] * right[0] + left[3] * right[2], left[2] * right[1] + left[3] * right[3]};
    std::copy(std::begin(product), std::end(product), right);
  }
}

// x -> factor x + shift, one after the other. Does not commute. The gap belongs to nobody.
// There is none at the end: MPICH 5.0.2's MPI_Reduce_scatter_block writes past its memory then.
struct Affine {
  std::uint32_t factor, gap, shift;
};
void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  call_as_an_operation(*type);
  const auto* first = static_cast<const Affine*>(in);
  auto* second = static_cast<Affine*>(inout);
  for (int i = 0; i < *length; ++i, ++first, ++second) {
    second->shift += second->factor * first->shift;
    second->factor *= first->factor;
  }
}

void combine(void* in, void* inout, int* length, MPI_Datatype* type) {
  call_as_an_operation(*type);
  const auto* from = static_cast<const std::uint32_t*>(in);
  auto* into = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < 3 * *length; ++i) into[i] ^= from[i];
}

enum class Values { bits, small_doubles, int_pairs, double_pairs };

struct Reduction {
  const char* name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_User_function* function = nullptr;
  bool commutes = true;
  Values values = Values::bits;
};

// Handles are no constants in every MPI. No sums of bytes and shorts: Open MPI 4.1.4's AVX
// operations saturate.
const Reduction& reduction_of(int reduction) {
  static const std::array<Reduction, kReductions> table{{
      {.name = "MPI_INT by MPI_SUM", .type = MPI_INT, .op = MPI_SUM},
      {.name = "MPI_INT by MPI_MAX", .type = MPI_INT, .op = MPI_MAX},
      {.name = "MPI_INT by MPI_BXOR", .type = MPI_INT, .op = MPI_BXOR},
      {.name = "MPI_UNSIGNED by MPI_SUM", .type = MPI_UNSIGNED, .op = MPI_SUM},
      {.name = "MPI_UNSIGNED by MPI_PROD", .type = MPI_UNSIGNED, .op = MPI_PROD},
      {.name = "MPI_LONG by MPI_MIN", .type = MPI_LONG, .op = MPI_MIN},
      {.name = "MPI_UINT64_T by MPI_BAND", .type = MPI_UINT64_T, .op = MPI_BAND},
      {.name = "MPI_SHORT by MPI_MAX", .type = MPI_SHORT, .op = MPI_MAX},
      {.name = "MPI_INT by MPI_LXOR", .type = MPI_INT, .op = MPI_LXOR},
      {.name = "MPI_DOUBLE by MPI_SUM",
       .type = MPI_DOUBLE,
       .op = MPI_SUM,
       .values = Values::small_doubles},
      {.name = "MPI_2INT by MPI_MINLOC",
       .type = MPI_2INT,
       .op = MPI_MINLOC,
       .values = Values::int_pairs},
      {.name = "MPI_DOUBLE_INT by MPI_MAXLOC",
       .type = MPI_DOUBLE_INT,
       .op = MPI_MAXLOC,
       .values = Values::double_pairs},
      {.name = "matrices by an own product", .function = multiply, .commutes = false},
      {.name = "maps with gaps by their composition", .function = compose, .commutes = false},
      {.name = "3 ints by an own operation that commutes", .function = combine},
  }};
  return table[static_cast<std::size_t>(reduction)];
}

MPI_Datatype contiguous_ints(int count) {
  MPI_Datatype made{};
  MPI_Type_contiguous(count, MPI_UINT32_T, &made);
  return made;
}

MPI_Datatype affine_type() {
  MPI_Datatype made{};
  MPI_Type_vector(2, 1, 2, MPI_UINT32_T, &made);
  return made;
}

template <class Value>
void put(std::byte* place, Value value) {
  std::memcpy(place, &value, sizeof value);
}

}  // namespace

const char* reduction_name(int reduction) { return reduction_of(reduction).name; }

Type make_reduced_type(int reduction) {
  const Reduction& chosen = reduction_of(reduction);
  if (chosen.function == multiply) return Type::derived(contiguous_ints(4));
  if (chosen.function == combine) return Type::derived(contiguous_ints(3));
  if (chosen.function == compose) return Type::derived(affine_type());
  return Type::predefined(chosen.type);
}

void fill_for(int reduction, Random& random, std::byte* data, int elements) {
  for (int i = 0; i < elements; ++i) {
    // Few values, so that the smallest of pairs is not the only one.
    const int value = random.below(4);
    switch (reduction_of(reduction).values) {
      case Values::bits:
        return;  // any will do
      case Values::small_doubles:
        put(data + 8 * i, static_cast<double>(value));
        break;
      case Values::int_pairs:
        put(data + 8 * i, value);
        break;
      case Values::double_pairs:
        put(data + 16 * i, static_cast<double>(value));
        break;
    }
  }
}

Op::Op(int reduction) {
  const Reduction& chosen = reduction_of(reduction);
  handle_ = chosen.op;
  if (chosen.function == nullptr) return;
  MPI_Op_create(chosen.function, chosen.commutes ? 1 : 0, &handle_);
  owned_ = true;
}

void Op::free() {
  if (owned_) MPI_Op_free(&handle_);
  owned_ = false;
}

}  // namespace differential
