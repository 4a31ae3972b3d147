// Entries of a trace as bytes: the two sides of one format.
#pragma once

#include "trace/trace.hpp"

namespace stretto::trace {

void pack(Packer& packer, const Op& op);
void pack(Packer& packer, const Comm& comm);
void pack(Packer& packer, const Site& site);
void pack(Packer& packer, const Folded& folded);

// All throw BadTrace. What they return fits the rank's other parts, as far as `rank` has them.
// `members`: those of each communicator, sorted, as a neighbourhood may name them very often.
[[nodiscard]] Op unpack_op(Unpacker& bytes, const RankTrace& rank,
                           const std::vector<std::vector<int>>& members);
[[nodiscard]] Comm unpack_comm(Unpacker& bytes, const RankTrace& rank);
[[nodiscard]] Site unpack_site(Unpacker& bytes);
[[nodiscard]] Folded unpack_folded(Unpacker& bytes, const RankTrace& rank);

}  // namespace stretto::trace
