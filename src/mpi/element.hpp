// What one element of a schedule's buffer is in memory.
//
// Schedules count elements; how many bytes lie between two of them, and how one is
// sent, copied or packed, is known here and nowhere else.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi/native.hpp"
#include "mpi/opaque.hpp"
#include "schedule/shape.hpp"

namespace stretto {

struct Element {
  MPI_Datatype type{};
  Count per_element = 1;  // how many of `type` make one element
  MPI_Aint stride = 0;    // bytes from one element to the next
  Count bytes = 0;        // of data in one element, gaps left out
  bool plain = false;     // memory order = packed order, no gaps: memcpy will do

  // `per_element` times `type`.
  [[nodiscard]] static Element of(MPI_Datatype type, Count per_element = 1);
  // Plain bytes.
  [[nodiscard]] static Element bytes_of(Count per_element);
  // Packed data, as it travels: what blocks of other ranks look like in scratch.
  [[nodiscard]] static Element packed(Count bytes);
};

// Is the memory of `type` what MPI_Pack would make of it? Only where that is certain:
// a type that merely has no gaps may still reorder its parts.
[[nodiscard]] bool is_plain(MPI_Datatype type);

// A buffer of a schedule's: equal elements in a row, or parts that each have a place, a
// count and a type of their own (gatherv and its kind: a part is one rank's block).
struct Block {
  void* base = nullptr;  // of the whole buffer
  Element element;
  std::vector<Piece>
      parts{};  // empty: equal elements. With parts `base` and `element` are not used

  [[nodiscard]] void* at(Count offset) const {
    return static_cast<std::byte*>(base) + offset * element.stride;
  }
  // Of parts, only one at a time.
  [[nodiscard]] Piece piece(Span span) const {
    if (!parts.empty()) {
      return span.count == 0 ? Piece{} : parts[static_cast<std::size_t>(span.offset)];
    }
    return {.address = at(span.offset),
            .count = span.count * element.per_element,
            .type = opaque(element.type),
            .bytes = span.count * element.bytes,
            .plain = element.plain};
  }
};

// Packed data in memory.
[[nodiscard]] Piece packed_at(const std::byte* at, Count bytes);

// Joins equally many elements of one type. Returns an MPI error code.
int reduce(const Piece& from, const Piece& to, MPI_Op op);

// Copies data of one signature but perhaps different layouts. Returns an MPI error code.
int copy(const Piece& from, const Piece& to);
// The same as a message to oneself, which may have less than there is room for.
int copy_by_message(const Piece& from, const Piece& to);

}  // namespace stretto
