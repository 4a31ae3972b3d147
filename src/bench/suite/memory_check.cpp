#include "bench/suite/memory_check.hpp"

#include <algorithm>
#include <array>

#include "bench/suite/free_memory.hpp"
#include "mpi/native.hpp"
#include "mpi/world.hpp"

namespace stretto::bench {
namespace {

struct Demand {
  double needed = 0;
  double free = 1;

  [[nodiscard]] double ratio() const { return needed / std::max(free, 1.0); }
};

// Of all ranks of a communicator together; what is free is what the one says that sees least.
Demand together(std::int64_t needed, std::int64_t free, MPI_Comm comm) {
  const auto mine = static_cast<double>(needed);
  const auto there = static_cast<double>(free);
  Demand all;
  native().Allreduce(&mine, &all.needed, 1, native().real, native().op_sum, comm);
  native().Allreduce(&there, &all.free, 1, native().real, native().op_min, comm);
  return all;
}

MPI_Comm of_same_host(MPI_Comm comm, const Topology& hosts, int rank) {
  MPI_Comm made{};
  native().Comm_split(comm, hosts.host_of(rank), rank, &made);
  return made;
}

}  // namespace

MemoryCheck::MemoryCheck(MPI_Comm comm, const Topology& hosts) : comm_(comm) {
  int rank = 0;
  native().Comm_rank(comm, &rank);
  const Topology machines(of_all_ranks(Affinity::here().on_its_machine(), hosts.size(), comm));
  host_ = of_same_host(comm, hosts, rank);
  machine_ = of_same_host(comm, machines, rank);
}

MemoryCheck::~MemoryCheck() {
  native().Comm_free(&host_);
  native().Comm_free(&machine_);
}

std::string MemoryCheck::shortage_of(std::int64_t buffer_bytes) const {
  const std::int64_t needed = with_margin(buffer_bytes);
  const FreeMemory free = free_memory();
  const Demand on_machine = together(needed, free.machine, machine_);
  const Demand in_group = together(needed, free.group, host_);
  const Demand& mine = in_group.ratio() > on_machine.ratio() ? in_group : on_machine;
  const double ratio = mine.ratio();
  double worst = 0;
  native().Allreduce(&ratio, &worst, 1, native().real, native().op_max, comm_);
  if (worst <= 1) return "";
  const bool is_worst = ratio == worst;
  const std::array<double, 2> said{is_worst ? mine.needed : 0, is_worst ? mine.free : 0};
  std::array<double, 2> agreed{};
  native().Allreduce(said.data(), agreed.data(), 2, native().real, native().op_max, comm_);
  return shortage(agreed[0], agreed[1]);
}

}  // namespace stretto::bench
