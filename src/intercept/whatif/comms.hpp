// The program's communicators, as far as virtual time follows them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "model/exchange_plan.hpp"
#include "model/group_times.hpp"
#include "mpi/comm_attributes.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept::whatif {

struct ClockedComm {
  std::int64_t id = 0;  // the same on all its ranks, and no other's
  int rank = 0;
  std::vector<int> world{};      // its ranks in MPI_COMM_WORLD
  std::int64_t collectives = 0;  // begun so far
  int series = 0;                // persistent ones initialized so far
  int recorded = 0;              // VirtualTime::add
  // What this rank does in its neighbourhood collectives; none where it has no topology.
  std::map<Collective, model::ExchangePlan> exchanges{};
  bool together = false;                       // each of its ranks works out its collectives itself
  std::unique_ptr<model::GroupTimes> times{};  // where this is a rank that works them out

  [[nodiscard]] int size() const { return static_cast<int>(world.size()); }
  [[nodiscard]] int first() const { return world.front(); }
};
using CommPtr = std::shared_ptr<ClockedComm>;

class Comms {
 public:
  Comms();
  void open();
  void close();

  // A new communicator of the program's: all its ranks call this. Not followed are those of two
  // groups and those with ranks from outside MPI_COMM_WORLD.
  void attach(MPI_Comm comm);
  // The same where they know already what it is called.
  void attach(MPI_Comm comm, std::int64_t id);
  // By the first rank of one: by itself, and by how many it has named.
  [[nodiscard]] std::int64_t name(int first) { return (std::int64_t{first} << 32) | created_++; }
  // nullptr: not followed.
  [[nodiscard]] CommPtr find(MPI_Comm comm);

 private:
  // What this rank knows of it by itself; none where it is not followed.
  [[nodiscard]] static std::unique_ptr<CommPtr> inspect(MPI_Comm comm);
  void keep(MPI_Comm comm, std::unique_ptr<CommPtr> known);

  CommAttributes attributes_;
  std::atomic<std::int64_t> created_{0};  // that this rank had a part in
};

}  // namespace stretto::intercept::whatif
