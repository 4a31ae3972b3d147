#include "bench/suite/blocks.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace stretto::bench {
namespace {

constexpr auto kOperations = std::to_array<MeasuredOperation>({
    {.name = "barrier", .function = "Barrier", .signature = Signature::none},
    {.name = "bcast", .function = "Bcast", .signature = Signature::bcast, .rooted = true},
    {.name = "gather",
     .function = "Gather",
     .signature = Signature::rooted_blocks,
     .rooted = true,
     .in_place = true},
    {.name = "gatherv",
     .function = "Gatherv",
     .signature = Signature::rooted_gathered,
     .rooted = true,
     .takes_counts = true,
     .in_place = true},
    {.name = "scatter",
     .function = "Scatter",
     .signature = Signature::rooted_blocks,
     .rooted = true,
     .in_place = true},
    {.name = "scatterv",
     .function = "Scatterv",
     .signature = Signature::rooted_scattered,
     .rooted = true,
     .takes_counts = true,
     .in_place = true},
    {.name = "allgather",
     .function = "Allgather",
     .signature = Signature::blocks,
     .in_place = true},
    {.name = "allgatherv",
     .function = "Allgatherv",
     .signature = Signature::gathered,
     .takes_counts = true,
     .in_place = true},
    {.name = "alltoall", .function = "Alltoall", .signature = Signature::blocks, .in_place = true},
    {.name = "alltoallv",
     .function = "Alltoallv",
     .signature = Signature::counts,
     .takes_counts = true,
     .in_place = true},
    {.name = "alltoallw",
     .function = "Alltoallw",
     .signature = Signature::types,
     .takes_counts = true,
     .in_place = true},
    {.name = "reduce",
     .function = "Reduce",
     .signature = Signature::rooted_vector,
     .rooted = true,
     .reduces = true,
     .in_place = true},
    {.name = "allreduce",
     .function = "Allreduce",
     .signature = Signature::vector,
     .reduces = true,
     .in_place = true},
    {.name = "reduce_scatter",
     .function = "Reduce_scatter",
     .signature = Signature::scattered_vector,
     .reduces = true,
     .takes_counts = true,
     .in_place = true},
    {.name = "reduce_scatter_block",
     .function = "Reduce_scatter_block",
     .signature = Signature::vector,
     .reduces = true,
     .in_place = true},
    {.name = "scan",
     .function = "Scan",
     .signature = Signature::vector,
     .reduces = true,
     .in_place = true},
    {.name = "exscan",
     .function = "Exscan",
     .signature = Signature::vector,
     .reduces = true,
     .in_place = true},
    {.name = "neighbor_allgather",
     .function = "Neighbor_allgather",
     .signature = Signature::blocks,
     .neighbors = true},
    {.name = "neighbor_allgatherv",
     .function = "Neighbor_allgatherv",
     .signature = Signature::gathered,
     .takes_counts = true,
     .neighbors = true},
    {.name = "neighbor_alltoall",
     .function = "Neighbor_alltoall",
     .signature = Signature::blocks,
     .neighbors = true},
    {.name = "neighbor_alltoallv",
     .function = "Neighbor_alltoallv",
     .signature = Signature::counts,
     .takes_counts = true,
     .neighbors = true},
    {.name = "neighbor_alltoallw",
     .function = "Neighbor_alltoallw",
     .signature = Signature::addresses,
     .takes_counts = true,
     .neighbors = true},
    {.name = "reduce_local",
     .function = "Reduce_local",
     .signature = Signature::local_vector,
     .reduces = true,
     .only_blocking = true,
     .accumulates = true},
    {.name = "pingpong", .function = "Send", .messages = true},
    {.name = "exchange", .function = "Sendrecv", .messages = true},
    {.name = "comm_dup", .function = "Comm_dup", .only_blocking = true},
    {.name = "comm_split", .function = "Comm_split", .only_blocking = true},
    {.name = "compute", .function = "Init", .only_blocking = true},
});

int count_of(const BenchCell& cell, int block, std::int64_t elements) {
  if (cell.of_root) return block == cell.root ? static_cast<int>(elements) : 0;
  if (cell.counts.empty()) return static_cast<int>(elements);
  return static_cast<int>(cell.counts[static_cast<std::size_t>(block) % cell.counts.size()]);
}

// So that what one sends is what the other one expects, and the same both ways.
int count_between(const BenchCell& cell, const Place& place, int one, int other,
                  std::int64_t elements) {
  return count_of(cell, (one + other) % place.size, elements);
}

// Only what takes displacements reads them: of other operations all blocks together may be longer.
std::vector<int> one_after_another(const std::vector<int>& counts) {
  std::vector<int> displs;
  displs.reserve(counts.size());
  std::int64_t next = 0;
  for (const int count : counts) {
    displs.push_back(static_cast<int>(next));
    next += count;
  }
  return displs;
}

std::int64_t total(const std::vector<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

bool is(const MeasuredOperation& operation, std::string_view name) {
  return operation.name == name ||
         (operation.takes_counts && operation.name.substr(0, operation.name.size() - 1) == name);
}

bool is_alltoall(const MeasuredOperation& operation) {
  return operation.name.starts_with("alltoall");
}
bool is_scatter_of_sums(const MeasuredOperation& operation) {
  return operation.name.starts_with("reduce_scatter");
}

// Elements of the blocks before a rank's.
std::int64_t before(const BlockLayout& blocks, int rank) {
  return std::accumulate(blocks.counts.begin(), blocks.counts.begin() + rank, std::int64_t{0});
}

// What `source` sends to this rank begins there in its send buffer.
std::int64_t sent_from(const BenchCell& cell, const Place& place, int source,
                       std::int64_t elements) {
  if (cell.counts.empty() && !cell.of_root) return place.rank * elements;
  std::int64_t before = 0;
  for (int other = 0; other < place.rank; ++other) {
    before += count_between(cell, place, source, other, elements);
  }
  return before;
}

// Of a neighbour's blocks it may be unclear which one is whose (a ring of two), so all that a rank
// sends to the same one are alike.
BlockLayout neighbor_blocks(const MeasuredOperation& operation, const BenchCell& cell,
                            std::int64_t elements, const Place& place) {
  const bool gathers = operation.name.starts_with("neighbor_allgather");
  BlockLayout blocks;
  blocks.count = elements;
  blocks.own_count = count_of(cell, place.rank, elements);
  for (const int source : place.sources) {
    blocks.counts.push_back(gathers ? count_of(cell, source, elements)
                                    : count_between(cell, place, place.rank, source, elements));
  }
  if (gathers) {
    blocks.send_counts = {blocks.own_count};
  } else {
    for (const int destination : place.destinations) {
      blocks.send_counts.push_back(count_between(cell, place, place.rank, destination, elements));
    }
  }
  blocks.displs = one_after_another(blocks.counts);
  blocks.send_displs = one_after_another(blocks.send_counts);
  blocks.send_length = total(blocks.send_counts);
  blocks.receive_length = total(blocks.counts);
  return blocks;
}

}  // namespace

std::span<const MeasuredOperation> operations() { return kOperations; }

const MeasuredOperation* operation_named(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name, &MeasuredOperation::name);
  return found == kOperations.end() ? nullptr : &*found;
}

BlockLayout blocks_of(const MeasuredOperation& operation, const BenchCell& cell,
                      std::int64_t elements, const Place& place) {
  BlockLayout blocks;
  blocks.count = elements;
  const std::size_t ranks = at(place.size);
  if (operation.neighbors) return neighbor_blocks(operation, cell, elements, place);
  if (operation.messages) {
    blocks.send_length = blocks.receive_length = elements;
    return blocks;
  }
  if (operation.function == "Barrier" || operation.function.starts_with("Comm_") ||
      operation.name == "compute") {
    blocks.count = 0;
    return blocks;
  }
  if (is_alltoall(operation)) {
    for (int other = 0; other < place.size; ++other) {
      blocks.counts.push_back(count_between(cell, place, place.rank, other, elements));
    }
    blocks.send_counts = blocks.counts;
    blocks.displs = blocks.send_displs = one_after_another(blocks.counts);
    blocks.send_length = blocks.receive_length = total(blocks.counts);
    return blocks;
  }
  blocks.counts.resize(ranks);
  for (int other = 0; other < place.size; ++other) {
    blocks.counts[at(other)] =
        operation.takes_counts ? count_of(cell, other, elements) : static_cast<int>(elements);
  }
  blocks.displs = one_after_another(blocks.counts);
  const std::int64_t all = total(blocks.counts);
  const int own = blocks.own_count = blocks.counts[at(place.rank)];
  // Only a root has all blocks, which may be more than others have room for.
  const bool is_root = cell.root_step != 0 || place.rank == cell.root;
  if (is(operation, "gather") || is(operation, "allgather")) {
    blocks.send_length = own;
    blocks.receive_length = operation.rooted && !is_root ? 0 : all;
  } else if (is(operation, "scatter")) {
    blocks.send_length = is_root ? all : 0;
    blocks.receive_length = own;
  } else if (is_scatter_of_sums(operation)) {
    blocks.send_length = all;
    blocks.receive_length = own;
  } else {  // of a vector
    blocks.send_length = blocks.receive_length = elements;
  }
  return blocks;
}

std::vector<ResultPiece> result_of(const MeasuredOperation& operation, const BenchCell& cell,
                                   const BlockLayout& blocks, const Place& place, int root) {
  const int rank = place.rank;
  const auto moved = [](std::int64_t where, std::int64_t length, int source, std::int64_t from) {
    return ResultPiece{
        .at = where, .length = length, .first = source, .last = source + 1, .from = from};
  };
  std::vector<ResultPiece> pieces;
  if (operation.rooted && !is(operation, "scatter") && operation.name != "bcast" && rank != root) {
    return pieces;
  }
  if (operation.name == "bcast") {
    pieces.push_back(moved(0, blocks.count, root, 0));
  } else if (is(operation, "gather") || is(operation, "allgather")) {
    std::int64_t next = 0;
    for (int other = 0; other < place.size; ++other) {
      pieces.push_back(moved(next, blocks.counts[at(other)], other, 0));
      next += blocks.counts[at(other)];
    }
  } else if (is(operation, "scatter")) {
    const bool stays = cell.in_place && rank == root;
    if (!stays) pieces.push_back(moved(0, blocks.receive_length, root, before(blocks, rank)));
  } else if (is_alltoall(operation)) {
    std::int64_t next = 0;
    for (int other = 0; other < place.size; ++other) {
      const std::int64_t from = sent_from(cell, place, other, blocks.count);
      pieces.push_back(moved(next, blocks.counts[at(other)], other, from));
      next += blocks.counts[at(other)];
    }
  } else if (operation.neighbors) {
    std::int64_t next = 0;
    for (std::size_t each = 0; each < place.sources.size(); ++each) {
      pieces.push_back(moved(next, blocks.counts[each], place.sources[each], 0));
      next += blocks.counts[each];
    }
  } else if (operation.messages) {
    const int other = rank ^ 1;
    if (other < place.size) pieces.push_back(moved(0, blocks.count, other, 0));
  } else if (is_scatter_of_sums(operation)) {
    pieces.push_back({.at = 0,
                      .length = blocks.receive_length,
                      .first = 0,
                      .last = place.size,
                      .from = before(blocks, rank)});
  } else if (operation.accumulates) {
    pieces.push_back({.at = 0, .length = blocks.count, .first = rank, .last = rank + 2, .from = 0});
  } else if (operation.reduces) {
    const int last = operation.name == "scan"     ? rank + 1
                     : operation.name == "exscan" ? rank
                                                  : place.size;
    if (last > 0) {
      pieces.push_back({.at = 0, .length = blocks.count, .first = 0, .last = last, .from = 0});
    }
  }
  return pieces;
}

std::vector<ResultPiece> laid_before(const MeasuredOperation& operation, const BenchCell& cell,
                                     const BlockLayout& blocks, const Place& place, int root) {
  const auto of_rank = [](int rank, std::int64_t where, std::int64_t length) {
    return std::vector<ResultPiece>{
        {.at = where, .length = length, .first = rank, .last = rank + 1, .from = 0}};
  };
  if (operation.accumulates) return of_rank(place.rank + 1, 0, blocks.count);
  if (!cell.in_place || (operation.rooted && place.rank != root)) return {};
  const auto own = [&](std::int64_t where, std::int64_t length) {
    return of_rank(place.rank, where, length);
  };
  if (is(operation, "gather") || is(operation, "allgather")) {
    return own(before(blocks, place.rank), blocks.counts[at(place.rank)]);
  }
  if (is(operation, "scatter")) return {};  // The root's send buffer is read as ever.
  return own(0, blocks.send_length);
}

}  // namespace stretto::bench
