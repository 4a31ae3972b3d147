// The functions that make datatypes, tell about them, and pack.

#include <algorithm>
#include <limits>

#include "fake_mpi/entered.hpp"

namespace fake_mpi {
namespace {

// Bounds and size follow from the parts.
Type made_of(int combiner, std::vector<Type::Part> parts) {
  Type type;
  type.combiner = combiner;
  constexpr MPI_Aint kNone = std::numeric_limits<MPI_Aint>::max();
  MPI_Aint low = kNone, high = -kNone, true_low = kNone, true_high = -kNone;
  for (const Type::Part& part : parts) {
    if (part.count == 0) continue;
    const Type& inner = *part.type;
    const MPI_Aint last = (part.count - 1) * inner.extent;
    type.size += part.count * inner.size;
    low = std::min({low, part.at + inner.lower_bound, part.at + last + inner.lower_bound});
    high = std::max({high, part.at + inner.lower_bound + inner.extent,
                     part.at + last + inner.lower_bound + inner.extent});
    if (inner.size == 0) continue;
    const MPI_Aint first = part.at + inner.true_lower_bound;
    true_low = std::min({true_low, first, first + last});
    true_high = std::max({true_high, first + inner.true_extent, first + last + inner.true_extent});
  }
  if (low != kNone) {
    type.lower_bound = low;
    type.extent = high - low;
  }
  if (true_low != kNone) {
    type.true_lower_bound = true_low;
    type.true_extent = true_high - true_low;
  }
  type.parts = std::move(parts);
  return type;
}

MPI_Datatype add(Entered& at, Type type) {
  return at.rank.types.add(std::make_shared<const Type>(std::move(type)));
}

template <class Count>
int contiguous(Entered& at, Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  if (at.fails()) return at.refused();
  const TypePointer inner = at.type(oldtype);
  Type type = made_of(MPI_COMBINER_CONTIGUOUS, {{.count = count, .type = inner}});
  type.is_large = sizeof(Count) > sizeof(int);
  if (type.is_large) {
    type.counts = {static_cast<MPI_Count>(count)};
  } else {
    type.integers = {static_cast<int>(count)};
  }
  type.made_of = {inner};
  *newtype = add(at, std::move(type));
  return MPI_SUCCESS;
}

// A handle of what a datatype was made of.
MPI_Datatype handle_of(Entered& at, const TypePointer& type) {
  return type->named != MPI_DATATYPE_NULL ? type->named : at.rank.types.add(type);
}

}  // namespace
}  // namespace fake_mpi

using namespace fake_mpi;

FAKE_MPI(Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  Entered at(__func__);
  return contiguous(at, count, oldtype, newtype);
}
FAKE_MPI(Type_contiguous_c, (MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  Entered at(__func__);
  return contiguous(at, count, oldtype, newtype);
}
FAKE_MPI(Type_vector,
         (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const TypePointer inner = at.type(oldtype);
  std::vector<Type::Part> parts;
  for (int i = 0; i < count; ++i) {
    parts.push_back({.at = i * stride * inner->extent, .count = blocklength, .type = inner});
  }
  Type type = made_of(MPI_COMBINER_VECTOR, std::move(parts));
  type.integers = {count, blocklength, stride};
  type.made_of = {inner};
  *newtype = add(at, std::move(type));
  return MPI_SUCCESS;
}
FAKE_MPI(Type_create_struct, (int count, const int lengths[], const MPI_Aint displacements[],
                              const MPI_Datatype types[], MPI_Datatype* newtype)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  std::vector<Type::Part> parts;
  for (int i = 0; i < count; ++i) {
    parts.push_back({.at = displacements[i], .count = lengths[i], .type = at.type(types[i])});
  }
  Type type = made_of(MPI_COMBINER_STRUCT, std::move(parts));
  type.integers.assign(lengths, lengths + count);
  type.addresses.assign(displacements, displacements + count);
  for (const Type::Part& part : type.parts) type.made_of.push_back(part.type);
  *newtype = add(at, std::move(type));
  return MPI_SUCCESS;
}
FAKE_MPI(Type_create_resized,
         (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const TypePointer inner = at.type(oldtype);
  Type type = made_of(MPI_COMBINER_RESIZED, {{.type = inner}});
  type.lower_bound = lb;
  type.extent = extent;
  type.addresses = {lb, extent};
  type.made_of = {inner};
  *newtype = add(at, std::move(type));
  return MPI_SUCCESS;
}
FAKE_MPI(Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const TypePointer inner = at.type(oldtype);
  Type type = made_of(MPI_COMBINER_DUP, {{.type = inner}});
  type.made_of = {inner};
  *newtype = add(at, std::move(type));
  return MPI_SUCCESS;
}
FAKE_MPI(Type_commit, (MPI_Datatype * type)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  static_cast<void>(at.type(*type));
  return MPI_SUCCESS;
}
FAKE_MPI(Type_free, (MPI_Datatype * type)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  if (is_predefined(*type)) at.misused("a predefined datatype");
  static_cast<void>(at.type(*type));
  at.rank.types.remove(*type);
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

FAKE_MPI(Type_size_x, (MPI_Datatype type, MPI_Count* size)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *size = at.type(type)->size;
  return MPI_SUCCESS;
}
FAKE_MPI(Type_get_extent, (MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *lb = at.type(type)->lower_bound;
  *extent = at.type(type)->extent;
  return MPI_SUCCESS;
}
FAKE_MPI(Type_get_true_extent, (MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *lb = at.type(type)->true_lower_bound;
  *extent = at.type(type)->true_extent;
  return MPI_SUCCESS;
}
FAKE_MPI(Type_get_envelope,
         (MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const TypePointer of = at.type(type);
  if (of->is_large) return at.raise(MPI_ERR_TYPE);
  *integers = static_cast<int>(of->integers.size());
  *addresses = static_cast<int>(of->addresses.size());
  *types = static_cast<int>(of->made_of.size());
  *combiner = of->combiner;
  return MPI_SUCCESS;
}
FAKE_MPI(Type_get_contents,
         (MPI_Datatype type, int /*most_integers*/, int /*most_addresses*/, int most_types,
          int integers[], MPI_Aint addresses[], MPI_Datatype types[])) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const TypePointer of = at.type(type);
  if (of->is_large) return at.raise(MPI_ERR_TYPE);
  std::ranges::copy(of->integers, integers);
  std::ranges::copy(of->addresses, addresses);
  for (int i = 0; i < most_types; ++i) {
    types[i] = handle_of(at, of->made_of.at(static_cast<std::size_t>(i)));
  }
  return MPI_SUCCESS;
}
FAKE_MPI(Type_get_envelope_c, (MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses,
                               MPI_Count* counts, MPI_Count* types, int* combiner)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const TypePointer of = at.type(type);
  *integers = static_cast<MPI_Count>(of->integers.size());
  *addresses = static_cast<MPI_Count>(of->addresses.size());
  *counts = static_cast<MPI_Count>(of->counts.size());
  *types = static_cast<MPI_Count>(of->made_of.size());
  *combiner = of->combiner;
  return MPI_SUCCESS;
}
FAKE_MPI(Type_get_contents_c,
         (MPI_Datatype type, MPI_Count /*most_integers*/, MPI_Count /*most_addresses*/,
          MPI_Count /*most_counts*/, MPI_Count most_types, int integers[], MPI_Aint addresses[],
          MPI_Count counts[], MPI_Datatype types[])) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const TypePointer of = at.type(type);
  std::ranges::copy(of->integers, integers);
  std::ranges::copy(of->addresses, addresses);
  std::ranges::copy(of->counts, counts);
  for (MPI_Count i = 0; i < most_types; ++i) {
    types[i] = handle_of(at, of->made_of.at(static_cast<std::size_t>(i)));
  }
  return MPI_SUCCESS;
}

FAKE_MPI(Pack, (const void* inbuf, int incount, MPI_Datatype type, void* outbuf, int outsize,
                int* position, MPI_Comm comm)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  const Packed packed = pack(inbuf, incount, *at.type(type));
  if (*position + packed.length > outsize) return at.raise(MPI_ERR_TRUNCATE);
  std::ranges::copy(packed.bytes, static_cast<std::byte*>(outbuf) + *position);
  *position += static_cast<int>(packed.length);
  return MPI_SUCCESS;
}
FAKE_MPI(Unpack, (const void* inbuf, int insize, int* position, void* outbuf, int outcount,
                  MPI_Datatype type, MPI_Comm comm)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  const TypePointer of = at.type(type);
  const auto* const first = static_cast<const std::byte*>(inbuf) + *position;
  const MPI_Count bytes = std::min<MPI_Count>(insize - *position, outcount * of->size);
  const Packed packed{.length = bytes, .bytes = {first, first + bytes}};
  *position += static_cast<int>(bytes);
  return at.result(unpack(packed, outbuf, outcount, *of));
}
