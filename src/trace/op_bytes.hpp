// Entries of a trace as bytes: the two sides of one format.
#pragma once

#include "trace/trace.hpp"

namespace stretto::trace {

// What the indices in an op may name.
struct Bounds {
  int ranks = 1;
  std::vector<std::vector<int>> members{};  // of each communicator, sorted: very many may be named
  std::size_t call_sites = 0;
};
[[nodiscard]] Bounds bounds_of(int ranks, const std::vector<Comm>& comms, std::size_t call_sites);

// Throws BadTrace where an op is none that can be read again.
void pack(Packer& packer, const Op& op, const Bounds& bounds);
void pack(Packer& packer, const Comm& comm);
void pack(Packer& packer, const model::CallSite& call_site);
void pack(Packer& packer, const Folded& folded);

// All throw BadTrace. What they return fits the rank's other parts, as far as `rank` has them.
[[nodiscard]] Op unpack_op(Unpacker& bytes, const Bounds& bounds);
[[nodiscard]] Comm unpack_comm(Unpacker& bytes, const RankTrace& rank);
[[nodiscard]] model::CallSite unpack_call_site(Unpacker& bytes);
[[nodiscard]] Folded unpack_folded(Unpacker& bytes, const RankTrace& rank);

}  // namespace stretto::trace
