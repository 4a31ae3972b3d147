#include "intercept/profile/clocks.hpp"

#include <array>
#include <limits>
#include <vector>

#include "base/clock.hpp"
#include "topology/topology.hpp"

namespace stretto::intercept::profile {
namespace {

constexpr int kTag = 0;
constexpr int kRounds = 10;

void send(const std::int64_t& value, int to, MPI_Comm comm) {
  native().Send(&value, sizeof value, native().byte, to, kTag, comm);
}

std::int64_t receive(int from, MPI_Comm comm) {
  std::int64_t value = 0;
  native().Recv(&value, sizeof value, native().byte, from, kTag, comm, MPI_STATUS_IGNORE);
  return value;
}

// Cristian's method: the quickest of some round trips bounds the offset best.
ClockSample ask_rank_zero(MPI_Comm comm) {
  ClockSample best{.error = std::numeric_limits<std::int64_t>::max()};
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t sent = now_ns();
    send(0, 0, comm);
    const std::int64_t theirs = receive(0, comm);
    const std::int64_t received = now_ns();
    const std::int64_t half = (received - sent) / 2;
    if (half < best.error) best = {.at = received, .offset = theirs - (sent + half), .error = half};
  }
  return best;
}

void answer(int rank, MPI_Comm comm) {
  for (int round = 0; round < kRounds; ++round) {
    static_cast<void>(receive(rank, comm));
    send(now_ns(), rank, comm);
  }
}

}  // namespace

ClockSample sample_clocks(MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  native().Comm_rank(comm, &rank);
  native().Comm_size(comm, &size);
  const auto mine = boot_id();
  std::vector<std::array<char, 64>> boots(static_cast<std::size_t>(size));
  native().Allgather(mine.data(), sizeof mine, native().byte, boots.data(), sizeof mine,
                     native().byte, comm);
  if (rank == 0) {
    for (int other = 1; other < size; ++other) {
      if (boots[static_cast<std::size_t>(other)] != mine) answer(other, comm);
    }
  } else if (boots[0] != mine) {
    return ask_rank_zero(comm);
  }
  return {.at = now_ns()};
}

}  // namespace stretto::intercept::profile
