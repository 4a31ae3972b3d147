#include "bench/collectives.hpp"

#include <array>

namespace stretto::bench {
namespace {

constexpr std::array<std::int64_t, 7> kSizes = {8,        256,       4 << 10, 32 << 10,
                                                128 << 10, 512 << 10, 2 << 20};
constexpr std::int64_t kMostInAll = 32 << 20;  // bytes of a buffer of all ranks' blocks
constexpr Collective kMeasured[] = {
    Collective::barrier, Collective::bcast,     Collective::reduce,   Collective::allreduce,
    Collective::gather,  Collective::scatter,   Collective::allgather, Collective::alltoall,
    Collective::scan,    Collective::exscan,    Collective::reduce_scatter};
constexpr int kRepeats = 25;

class Caller {
 public:
  Caller(MPI_Comm comm, int size)
      : comm_(comm),
        size_(size),
        in_(static_cast<std::size_t>(kMostInAll)),
        out_(static_cast<std::size_t>(kMostInAll)) {}

  void call(Collective collective, std::int64_t bytes) {
    const Native& mpi = native();
    const MPI_Datatype type = mpi.byte;
    const int n = static_cast<int>(bytes);
    const int doubles = std::max(n / 8, 1);
    switch (collective) {
      case Collective::barrier:
        mpi.Barrier(comm_);
        break;
      case Collective::bcast:
        mpi.Bcast(out_.data(), n, type, 0, comm_);
        break;
      case Collective::reduce:
        mpi.Reduce(in_.data(), out_.data(), doubles, mpi.real, mpi.op_sum, 0, comm_);
        break;
      case Collective::allreduce:
        mpi.Allreduce(in_.data(), out_.data(), doubles, mpi.real, mpi.op_sum, comm_);
        break;
      case Collective::gather:
        mpi.Gather(in_.data(), n, type, out_.data(), n, type, 0, comm_);
        break;
      case Collective::scatter:
        mpi.Scatter(in_.data(), n, type, out_.data(), n, type, 0, comm_);
        break;
      case Collective::allgather:
        mpi.Allgather(in_.data(), n, type, out_.data(), n, type, comm_);
        break;
      case Collective::alltoall:
        mpi.Alltoall(in_.data(), n, type, out_.data(), n, type, comm_);
        break;
      case Collective::scan:
        mpi.Scan(in_.data(), out_.data(), doubles, mpi.real, mpi.op_sum, comm_);
        break;
      case Collective::exscan:
        mpi.Exscan(in_.data(), out_.data(), doubles, mpi.real, mpi.op_sum, comm_);
        break;
      case Collective::reduce_scatter:
        mpi.Reduce_scatter_block(in_.data(), out_.data(), doubles, mpi.real, mpi.op_sum, comm_);
        break;
      default:
        break;
    }
  }

  Sample measure(Collective collective, std::int64_t bytes) {
    call(collective, bytes);
    std::vector<double> times;
    for (int i = 0; i < kRepeats; ++i) {
      native().Barrier(comm_);
      const std::int64_t begin = now_ns();
      call(collective, bytes);
      const auto mine = static_cast<double>(now_ns() - begin);
      std::vector<double> all(static_cast<std::size_t>(size_));
      native().Allgather(&mine, sizeof mine, native().byte, all.data(), sizeof mine,
                         native().byte, comm_);
      times.push_back(*std::max_element(all.begin(), all.end()));
    }
    return summary(std::move(times));
  }

 private:
  MPI_Comm comm_;
  int size_;
  std::vector<std::byte> in_;  // zeros: numbers, too
  std::vector<std::byte> out_;
};

}  // namespace

std::vector<CollectiveTime> measure_collectives(MPI_Comm comm) {
  int size = 1;
  native().Comm_size(comm, &size);
  std::vector<CollectiveTime> times;
  if (size == 1) return times;
  Caller caller(comm, size);
  for (const Collective collective : kMeasured) {
    for (const std::int64_t bytes : kSizes) {
      if (bytes * size > kMostInAll) break;
      times.push_back({collective, bytes, caller.measure(collective, bytes)});
      if (collective == Collective::barrier) break;
    }
  }
  return times;
}

}  // namespace stretto::bench
