#include "side.hpp"

#include <algorithm>
#include <numeric>

namespace differential {

void Side::describe_vector(int reduction, int elements) {
  element = make_reduced_type(reduction);
  type = element.handle();
  count = elements;
  buffer = Buffer(type, elements);
  data = buffer.data();
}

void Side::describe_blocks(const Arguments& arguments, const std::vector<int>& blocks,
                           Random random, bool sent) {
  counts = blocks;
  // Open MPI takes no null arrays from those without neighbours.
  for (std::vector<int>* each : {&counts, &displs}) each->reserve(1);
  places.reserve(1);
  types.reserve(1);
  const int elements = lay_out(arguments, random, sent);
  element = make_type(arguments.type, elements);
  const bool each = arguments.collective == Collective::alltoallw ||
                    arguments.collective == Collective::neighbor_alltoallw;
  if (each) {
    describe_each(arguments, random);
    buffer = Buffer(element.handle(), elements);
  } else {
    const bool choice = is_three_ints(arguments.type) && !arguments.alike;
    const int ints = choice && random.one_in(3) ? 3 : 1;
    describe_alike(ints, arguments.count);
    buffer = Buffer(type, elements * ints);
  }
  data = buffer.data();
}

// Sets the displacements; returns how many elements they span.
int Side::lay_out(const Arguments& arguments, Random& random, bool sent) {
  std::vector<int> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  const bool uneven = traits(arguments.collective).uneven;
  const bool shared = uneven && sent && random.one_in(8);
  const int gap = uneven ? random.below(3) : 0;
  if (uneven) random.shuffle(order);
  displs.resize(counts.size());
  int place = 0, end = 0;
  for (const int block : order) {
    const auto b = static_cast<std::size_t>(block);
    displs[b] = shared ? 0 : place;
    place += counts[b] + gap;
    end = std::max(end, displs[b] + counts[b]);
  }
  return end + gap;
}

// A type a block, of those that mean the same data.
void Side::describe_each(const Arguments& arguments, Random& random) {
  const bool choice = is_three_ints(arguments.type) && !is_interleaved(arguments.type);
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(element.handle(), &lower, &extent);
  for (std::size_t b = 0; b < counts.size(); ++b) {
    const MPI_Aint place = displs[b] * extent;
    places.push_back(place);
    displs[b] = static_cast<int>(place);
    const bool ints = choice && random.one_in(3);
    types.push_back(ints ? MPI_INT : element.handle());
    if (ints) counts[b] *= 3;
  }
}

void Side::describe_alike(int ints, int without_blocks) {
  type = ints > 1 ? MPI_INT : element.handle();
  for (int& each : counts) each *= ints;
  for (int& place : displs) place *= ints;
  // Of the side with one block, or with blocks of one size. Also where there is none: given a
  // count of 0, Open MPI 4.1 does not serve the neighbours on the other side.
  count = counts.empty() ? without_blocks * ints : counts.front();
}

}  // namespace differential
