#include "api/random_call.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace stretto {
namespace {

// Elements of the block between two ranks, the same both ways, as MPI_IN_PLACE wants it.
int length_of(unsigned seed, int one, int other, int most) {
  const auto mixed =
      seed + 31U * static_cast<unsigned>(one + other) + 17U * static_cast<unsigned>(one * other);
  return most == 0 ? 0 : static_cast<int>((mixed >> 2) % static_cast<unsigned>(most + 1));
}

bool sends_to_each(Collective collective) {
  return collective == Collective::alltoall || collective == Collective::neighbor_alltoall;
}

}  // namespace

int below(Random& random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

Position Position::on(MPI_Comm comm, int side) {
  Position position{.comm = comm, .side = side};
  int inter = 0;
  MPI_Comm_test_inter(comm, &inter);
  MPI_Comm_rank(comm, &position.rank);
  MPI_Comm_size(comm, &position.size);
  position.others = position.size;
  position.inter = inter != 0;
  if (position.inter) MPI_Comm_remote_size(comm, &position.others);
  int topology = MPI_UNDEFINED;
  MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    MPI_Cartdim_get(comm, &position.neighbors);
    position.neighbors *= 2;
  }
  return position;
}

RandomCall::RandomCall(Random& random, const Types& types, const Position& position,
                       Collective collective, bool uneven)
    : position_(position) {
  described_.collective = collective;
  described_.uneven = uneven;
  described_.comm = position.comm;
  constexpr std::array<int, 5> kCounts{0, 1, 2, 7, 33};
  count_ = kCounts[static_cast<std::size_t>(below(random, 5))];
  choose_root(random);
  const bool in_place = below(random, 3) == 0 && has_in_place(collective) && !position.inter;
  choose_types(random, types);
  typed_ = sends_to_each(collective) && uneven && below(random, 2) == 0;
  const auto seed = static_cast<unsigned>(random());

  int to = position.others;
  int from = collective == Collective::reduce_scatter ? position.size : position.others;
  if (is_neighborhood(collective)) to = from = position.neighbors;
  lay_out(send_side_, to, seed, !sends_to_each(collective));
  lay_out(recv_side_, from, seed, !sends_to_each(collective));
  const bool root = !is_rooted(collective) || described_.root == position.rank;
  if (in_place && root) {
    const bool scatters = collective == Collective::scatter;
    (scatters ? described_.recvbuf : const_cast<void*&>(described_.sendbuf)) = MPI_IN_PLACE;
  }
  long longest = std::max(elements(send_side_, to), elements(recv_side_, from));
  // The whole vector, in place or not.
  if (collective == Collective::reduce_scatter) longest *= std::max(to, from);
  const unsigned mine = seed + 7919U * static_cast<unsigned>(position.rank + 100 * position.side);
  send_ = std::make_unique<::Buffer>(send_side_.type, longest, mine);
  recv_ = std::make_unique<::Buffer>(recv_side_.type, longest, mine + 1);
  expected_ = std::make_unique<::Buffer>(*recv_);
}

// Between groups the root is one of the second.
void RandomCall::choose_root(Random& random) {
  const int drawn = below(random, 60);
  if (!is_rooted(described_.collective)) return;
  if (!position_.inter) {
    described_.root = drawn % position_.size;
  } else if (position_.side == 0) {
    described_.root = drawn % position_.others;
  } else {
    described_.root = drawn % position_.size == position_.rank ? MPI_ROOT : MPI_PROC_NULL;
  }
}

void RandomCall::choose_types(Random& random, const Types& types) {
  const int drawn = below(random, 5);
  const bool swapped = below(random, 2) == 0;
  if (reduces(described_.collective)) {
    const std::array<std::pair<MPI_Datatype, MPI_Op>, 5> kinds{
        {{MPI_INT, MPI_SUM},
         {MPI_INT, MPI_BXOR},
         {MPI_UNSIGNED_LONG, MPI_MAX},
         {MPI_2INT, MPI_MAXLOC},
         {types.matrix, types.multiply_matrices}}};
    const auto& [type, op] = kinds[static_cast<std::size_t>(drawn)];
    send_side_.type = recv_side_.type = type;
    described_.op = op;
    return;
  }
  const std::array<MPI_Datatype, 5> all{MPI_INT, MPI_DOUBLE, types.gapped, types.negative,
                                        types.empty};
  const MPI_Datatype type = all[static_cast<std::size_t>(drawn)];
  send_side_.type = recv_side_.type = type;
  // The same data by another description: three ints for one element with gaps.
  const bool three_ints = type == types.gapped || type == types.negative;
  if (!three_ints) return;
  // The ranks of a broadcast may differ, too.
  const bool is_bcast = described_.collective == Collective::bcast;
  if (is_bcast && position_.rank % 2 == 0) return;
  Side& other = swapped && !is_bcast ? send_side_ : recv_side_;
  other.type = MPI_INT;
  other.per_element = 3;
}

// Blocks in a row, or the last first and with gaps between them. `one_length`: of the rank at the
// other end alone.
void RandomCall::lay_out(Side& side, int blocks, unsigned seed, bool one_length) const {
  const Collective collective = described_.collective;
  int most = count_;
  // Both groups' vectors are of one length.
  const bool between = position_.inter && collective == Collective::reduce_scatter;
  if (between) most *= position_.others;
  side.count = Count{most} * side.per_element;
  if (!described_.uneven) return;
  const int mine = is_neighborhood(collective) ? 0 : position_.rank;
  const auto length = [&](int other) {
    if (between) return most;
    if (is_neighborhood(collective)) return length_of(seed, 0, 0, count_);
    return length_of(seed, other, one_length ? 0 : mine, count_);
  };
  if (one_length) side.count = Count{length(mine)} * side.per_element;
  side.displs.resize(static_cast<std::size_t>(blocks));
  int place = 0;
  for (int other = 0; other < blocks; ++other) {
    side.counts.push_back(length(other) * side.per_element);
  }
  for (std::size_t i = side.counts.size(); i-- > 0;) {
    side.displs[i] = place;
    place += side.counts[i] + side.per_element;
  }
  if (!typed_) return;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(side.type, &lower, &extent);
  for (int& displ : side.displs) displ *= static_cast<int>(extent);
  side.types.assign(static_cast<std::size_t>(blocks), side.type);
}

long RandomCall::elements(const Side& side, int blocks) const {
  const long even = static_cast<long>(side.count) * std::max(blocks, 1);
  const long uneven = static_cast<long>(count_ + 1) * side.per_element * std::max(blocks, 1);
  return std::max(even, uneven);
}

Call RandomCall::call(::Buffer& recv) const {
  Call call = described_;
  if (call.sendbuf != MPI_IN_PLACE) call.sendbuf = send_->data();
  if (call.recvbuf != MPI_IN_PLACE) call.recvbuf = recv.data();
  call.recvtype = recv_side_.type;
  call.recvcount = recv_side_.count;
  const bool vector = reduces(call.collective) || call.collective == Collective::bcast;
  if (call.collective == Collective::barrier)
    return {.collective = call.collective, .comm = call.comm};
  if (!vector) {
    call.sendtype = send_side_.type;
    call.sendcount = send_side_.count;
  }
  if (!call.uneven) return call;
  const auto describe = [this](const Side& side, Numbers& counts, Numbers& displs,
                               MPI_Datatype& type, const MPI_Datatype*& types) {
    counts = side.counts.data();
    displs = side.displs.data();
    if (!typed_) return;
    types = side.types.data();
    type = MPI_Datatype{};
  };
  if (call.collective == Collective::reduce_scatter) {
    call.recvcounts = recv_side_.counts.data();
    return call;
  }
  const bool sends_blocks =
      sends_to_each(call.collective) || call.collective == Collective::scatter;
  const bool receives_blocks = call.collective != Collective::scatter;
  if (sends_blocks) {
    describe(send_side_, call.sendcounts, call.senddispls, call.sendtype, call.sendtypes);
  }
  if (receives_blocks) {
    describe(recv_side_, call.recvcounts, call.recvdispls, call.recvtype, call.recvtypes);
  }
  return call;
}

bool RandomCall::results_agree() {
  // Of MPI_Reduce_scatter in place only the own block is defined.
  if (described_.collective == Collective::reduce_scatter && described_.sendbuf == MPI_IN_PLACE) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(recv_side_.type, &lower, &extent);
    const auto me = static_cast<std::size_t>(position_.rank);
    const Count own = described_.uneven ? recv_side_.counts[me] : recv_side_.count;
    recv_->take_rest(*expected_, static_cast<MPI_Aint>(own) * extent);
  }
  return *recv_ == *expected_;
}

std::string RandomCall::words() const {
  std::string text(name_of(described_.collective));
  if (described_.uneven) text += typed_ ? " w" : " v";
  text += ", count " + std::to_string(count_) + ", root " + std::to_string(described_.root) +
          ", rank " + std::to_string(position_.rank) + " of " + std::to_string(position_.size);
  if (described_.sendbuf == MPI_IN_PLACE || described_.recvbuf == MPI_IN_PLACE)
    text += ", in place";
  return text;
}

}  // namespace stretto
