// What one element of a schedule's buffer is in memory.
//
// Schedules count elements; how many bytes lie between two of them, and how one is
// sent, copied or packed, is known here and nowhere else.
#pragma once

#include <cstddef>

#include "schedule/shape.hpp"
#include "transport/mpi/native.hpp"

namespace stretto {

struct Element {
  MPI_Datatype type{};
  int per_element = 1;  // how many of `type` make one element
  MPI_Aint stride = 0;  // bytes from one element to the next
  Count bytes = 0;      // of data in one element, gaps left out
  bool plain = false;   // memory order = packed order, no gaps: memcpy will do

  // `per_element` times `type`.
  [[nodiscard]] static Element of(MPI_Datatype type, int per_element = 1);
  // Packed data, as it travels: what blocks of other ranks look like in scratch.
  [[nodiscard]] static Element packed(Count bytes);
};

// Is the memory of `type` what MPI_Pack would make of it? Only where that is certain:
// a type that merely has no gaps may still reorder its parts.
[[nodiscard]] bool is_plain(MPI_Datatype type);

struct Block {
  void* base = nullptr;  // of the whole buffer
  Element element;

  [[nodiscard]] void* at(Count offset) const {
    return static_cast<std::byte*>(base) + offset * element.stride;
  }
};

// Copies `count` elements between buffers whose elements have one signature but perhaps
// different layouts. `comm` is what MPI_Pack wants one for. Returns an MPI error code.
int copy_elements(const Block& from, Count from_offset, const Block& to, Count to_offset,
                  Count count, MPI_Comm comm);

}  // namespace stretto
