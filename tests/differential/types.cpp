#include "types.hpp"

#include <array>

#include "callbacks.hpp"

namespace differential {
namespace {

enum Moved {
  ints,
  bytes,
  doubles,
  contiguous,
  gapped,
  negative,
  mixed,
  indexed,
  interleaved,
  narrow,
  empty
};
constexpr std::array kNames{"MPI_INT",
                            "MPI_BYTE",
                            "MPI_DOUBLE",
                            "3 contiguous ints",
                            "3 ints with gaps",
                            "3 ints, negative lower bound",
                            "a struct of char, ints and short",
                            "3 ints, last first",
                            "3 ints, interleaved with other elements'",
                            "3 ints, extent ends before them",
                            "a type of no bytes"};
static_assert(kNames.size() == kTypes);
static_assert(kGapped == gapped && kMixed == mixed);

MPI_Datatype resized(MPI_Datatype plain, MPI_Aint lower, MPI_Aint extent) {
  MPI_Datatype made{};
  MPI_Type_create_resized(plain, lower, extent, &made);
  MPI_Type_free(&plain);
  return made;
}

MPI_Datatype vector_of_ints(int count, int stride) {
  MPI_Datatype made{};
  MPI_Type_vector(count, 1, stride, MPI_INT, &made);
  return made;
}

MPI_Datatype make_negative() {
  const int lengths[] = {1, 2};
  const MPI_Aint places[] = {-8, 4};
  const MPI_Datatype parts[] = {MPI_INT, MPI_INT};
  MPI_Datatype plain{};
  MPI_Type_create_struct(2, lengths, places, parts, &plain);
  return resized(plain, -12, 28);
}

MPI_Datatype make_mixed() {
  const int lengths[] = {1, 2, 1};
  const MPI_Aint places[] = {0, 4, 14};
  const MPI_Datatype parts[] = {MPI_CHAR, MPI_INT, MPI_SHORT};
  MPI_Datatype plain{};
  MPI_Type_create_struct(3, lengths, places, parts, &plain);
  return resized(plain, 0, 20);
}

MPI_Datatype make_indexed() {
  const int lengths[] = {1, 2};
  const int places[] = {3, 0};
  MPI_Datatype made{};
  MPI_Type_indexed(2, lengths, places, MPI_INT, &made);
  return made;
}

MPI_Datatype make_contiguous(int ints) {
  MPI_Datatype made{};
  MPI_Type_contiguous(ints, MPI_INT, &made);
  return made;
}

}  // namespace

const char* type_name(int type) { return kNames[static_cast<std::size_t>(type)]; }

bool is_three_ints(int type) { return type >= contiguous && type < empty && type != mixed; }
bool is_interleaved(int type) { return type == interleaved || type == narrow; }

Type make_type(int type, int elements) {
  constexpr MPI_Aint kInt = sizeof(int);
  switch (static_cast<Moved>(type)) {
    case ints:
      return Type::predefined(MPI_INT);
    case bytes:
      return Type::predefined(MPI_BYTE);
    case doubles:
      return Type::predefined(MPI_DOUBLE);
    case contiguous:
      return Type::derived(make_contiguous(3));
    case gapped:
      return Type::derived(vector_of_ints(3, 2));
    case negative:
      return Type::derived(make_negative());
    case mixed:
      return Type::derived(make_mixed());
    case indexed:
      return Type::derived(make_indexed());
    case interleaved:
      // The columns of a matrix: an element's ints lie as far apart as there are elements.
      return Type::derived(resized(vector_of_ints(3, elements > 0 ? elements : 1), 0, kInt));
    case narrow:
      // The next element begins in this one's second gap.
      return Type::derived(resized(vector_of_ints(3, 4), 0, 2 * kInt + kInt * 3));
    case empty:
      break;
  }
  return Type::derived(make_contiguous(0));
}

Type Type::derived(MPI_Datatype type) {
  MPI_Type_commit(&type);
  mark(type);
  return {type, true};
}

void Type::free() {
  if (owned_) MPI_Type_free(&handle_);
  owned_ = false;
}

}  // namespace differential
