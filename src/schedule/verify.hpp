// Proves schedules correct by moving symbols instead of bytes.
//
// An element's symbol says whose input it is and which element of it; a reduced
// element's symbol says which ranks went into it. All ranks' schedules run
// together on symbols, and at the end every output element must hold exactly what
// MPI promises. No timing is assumed: sends wait for their receives, and two
// steps that access the same element must be ordered by their waits, so one order
// of execution stands for all of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"
#include "topology/layout.hpp"

namespace stretto {

using Build = Schedule (*)(const Shape& shape, const Layout& layout, Rank me);

// The first thing wrong, in words: "allreduce ring, 8 ranks, count 10, rank 3,
// step 5 (recv from rank 2 into recv[4,6)): ...".
struct Fault {
  Rank rank = 0;
  StepId step = kNoStep;  // kNoStep: no single step is to blame
  std::string message;
};

// `shape` as rank `me` sees it: in the rooted collectives MPI_IN_PLACE is the
// root's alone, and bcast and barrier have none.
[[nodiscard]] Shape shape_on_rank(const Shape& shape, Rank me);

// One schedule for each rank of the communicator.
[[nodiscard]] std::vector<Schedule> build_all(Build build, const Shape& shape,
                                              const Layout& layout = {});

// Nothing where the schedules of all ranks are correct, whatever the layout that they were built
// for. Where `shape.commutative` is false, operands must be joined in rank order.
[[nodiscard]] std::optional<Fault> verify(std::string_view algorithm, const Shape& shape,
                                          std::span<const Schedule> ranks,
                                          const Layout& layout = {});

}  // namespace stretto
