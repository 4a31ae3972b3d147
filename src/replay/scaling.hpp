// A trace on more ranks than it was recorded on.
#pragma once

#include <stdexcept>
#include <vector>

#include "replay/pattern.hpp"
#include "replay/replay.hpp"

namespace stretto::replay {

struct Scaling {
  int factor = 1;       // so many times as many ranks
  bool strong = false;  // the same work shared by them; otherwise each has as much as before
};

struct Scaled {
  std::vector<Part> parts{};  // of the trace, which must outlive them
  Pattern pattern{};          // found in the trace
  Grid grid{};                // of the parts
};

// The program has no pattern that says what more ranks would do.
struct Irregular : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Each rank of the larger grid does what one at the same kind of border does in the trace, with the
// ranks as far away; communicators stay slices along the same dimensions. Throws Irregular.
//
// Weak: computing and messages stay; an alltoall moves as much for each rank, in smaller blocks.
// Strong: computing is divided by the factor, and so are blocks (those of an alltoall once more by
// the communicator's growth); a message along one dimension is the face of a block that shrinks in
// the others; vectors of bcast, reduce, allreduce and scan stay.
[[nodiscard]] Scaled scaled(const trace::Trace& trace, const Scaling& scaling);

}  // namespace stretto::replay
