// The MPI functions, blocking, nonblocking and persistent.

#include <dlfcn.h>

#include <type_traits>

#include "job.hpp"

namespace differential {
namespace {

// Persistent collectives are looked up: Open MPI 4.1 has none, but what is preloaded may.
void* persistent(const char* name) { return dlsym(RTLD_DEFAULT, name); }

// What must not be looked at is no null pointer, which some MPIs refuse to be handed.
const int* array(const std::vector<int>& numbers) {
  return numbers.empty() ? reinterpret_cast<const int*>(std::uintptr_t{64}) : numbers.data();
}

// The same arguments for the three forms of one collective.
class Issue {
 public:
  Issue(Mode mode, MPI_Request* request) : mode_(mode), request_(request) {}

  template <class... Arguments, class Nonblocking>
  int operator()(int (*blocking)(Arguments...), Nonblocking nonblocking, const char* init,
                 std::type_identity_t<Arguments>... arguments) const {
    switch (mode_) {
      case Mode::blocking:
        return blocking(arguments...);
      case Mode::nonblocking:
        return nonblocking(arguments..., request_);
      case Mode::persistent:
        break;
    }
    using Init = int (*)(Arguments..., MPI_Info, MPI_Request*);
    return reinterpret_cast<Init>(persistent(init))(arguments..., MPI_INFO_NULL, request_);
  }

 private:
  Mode mode_;
  MPI_Request* request_;
};

}  // namespace

bool has_persistent() { return persistent("MPI_Allreduce_init") != nullptr; }

int Job::issue(Mode mode, MPI_Request* request) {
  const Issue call(mode, request);
  const MPI_Comm comm = view_.comm;
  const Side& s = send_;
  const Side& r = recv_;
  const int* const scounts = array(s.counts);
  const int* const sdispls = array(s.displs);
  const int* const rcounts = array(r.counts);
  const int* const rdispls = array(r.displs);
  const Side& all = view_.inter && is_root() ? s : r;  // of a broadcast
#define FORMS(Upper, lower) MPI_##Upper, MPI_I##lower, "MPI_" #Upper "_init"
  switch (arguments_.collective) {
    case Collective::barrier:
      return call(FORMS(Barrier, barrier), comm);
    case Collective::bcast:
      return call(FORMS(Bcast, bcast), all.data, all.count, all.type, root_, comm);
    case Collective::reduce:
      return call(FORMS(Reduce, reduce), s.data, r.data, r.count, r.type, op_.handle(), root_,
                  comm);
    case Collective::allreduce:
      return call(FORMS(Allreduce, allreduce), s.data, r.data, r.count, r.type, op_.handle(), comm);
    case Collective::gather:
      return call(FORMS(Gather, gather), s.data, s.count, s.type, r.data, r.count, r.type, root_,
                  comm);
    case Collective::gatherv:
      return call(FORMS(Gatherv, gatherv), s.data, s.count, s.type, r.data, rcounts, rdispls,
                  r.type, root_, comm);
    case Collective::scatter:
      return call(FORMS(Scatter, scatter), s.data, s.count, s.type, r.data, r.count, r.type, root_,
                  comm);
    case Collective::scatterv:
      return call(FORMS(Scatterv, scatterv), s.data, scounts, sdispls, s.type, r.data, r.count,
                  r.type, root_, comm);
    case Collective::allgather:
      return call(FORMS(Allgather, allgather), s.data, s.count, s.type, r.data, r.count, r.type,
                  comm);
    case Collective::allgatherv:
      return call(FORMS(Allgatherv, allgatherv), s.data, s.count, s.type, r.data, rcounts, rdispls,
                  r.type, comm);
    case Collective::alltoall:
      return call(FORMS(Alltoall, alltoall), s.data, s.count, s.type, r.data, r.count, r.type,
                  comm);
    case Collective::alltoallv:
      return call(FORMS(Alltoallv, alltoallv), s.data, scounts, sdispls, s.type, r.data, rcounts,
                  rdispls, r.type, comm);
    case Collective::alltoallw:
      return call(FORMS(Alltoallw, alltoallw), s.data, scounts, sdispls, s.types.data(), r.data,
                  rcounts, rdispls, r.types.data(), comm);
    case Collective::reduce_scatter_block:
      return call(FORMS(Reduce_scatter_block, reduce_scatter_block), s.data, r.data, r.count,
                  r.type, op_.handle(), comm);
    case Collective::reduce_scatter:
      return call(FORMS(Reduce_scatter, reduce_scatter), s.data, r.data, rcounts, r.type,
                  op_.handle(), comm);
    case Collective::scan:
      return call(FORMS(Scan, scan), s.data, r.data, r.count, r.type, op_.handle(), comm);
    case Collective::exscan:
      return call(FORMS(Exscan, exscan), s.data, r.data, r.count, r.type, op_.handle(), comm);
    case Collective::neighbor_allgather:
      return call(FORMS(Neighbor_allgather, neighbor_allgather), s.data, s.count, s.type, r.data,
                  r.count, r.type, comm);
    case Collective::neighbor_allgatherv:
      return call(FORMS(Neighbor_allgatherv, neighbor_allgatherv), s.data, s.count, s.type, r.data,
                  rcounts, rdispls, r.type, comm);
    case Collective::neighbor_alltoall:
      return call(FORMS(Neighbor_alltoall, neighbor_alltoall), s.data, s.count, s.type, r.data,
                  r.count, r.type, comm);
    case Collective::neighbor_alltoallv:
      return call(FORMS(Neighbor_alltoallv, neighbor_alltoallv), s.data, scounts, sdispls, s.type,
                  r.data, rcounts, rdispls, r.type, comm);
    case Collective::neighbor_alltoallw:
      return call(FORMS(Neighbor_alltoallw, neighbor_alltoallw), s.data, scounts, s.places.data(),
                  s.types.data(), r.data, rcounts, r.places.data(), r.types.data(), comm);
  }
#undef FORMS
  return MPI_ERR_OTHER;
}

}  // namespace differential
