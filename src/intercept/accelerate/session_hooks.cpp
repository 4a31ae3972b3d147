// MPI_Init, MPI_Finalize and communicators that come and go.

#include <algorithm>

#include "intercept/accelerate/hooks.hpp"
#include "intercept/accelerate/lifeline.hpp"
#include "intercept/accelerate/tuning.hpp"
#include "intercept/shared/session.hpp"
#include "mpi/errors_returned.hpp"
#include "mpi/thread_level.hpp"
#include "mpi/world.hpp"

namespace stretto::intercept::accelerate {

int on_Init(STRETTO_REAL(Init) real, int* argc, char*** argv) {
  const int level = level_to_request(MPI_THREAD_SINGLE);
  int error = MPI_SUCCESS;
  {
    const Inside inside;
    if (level == MPI_THREAD_SINGLE) {
      error = real(argc, argv);
    } else {
      int provided = MPI_THREAD_SINGLE;
      const auto init_thread = real_function<STRETTO_REAL(Init_thread)>("PMPI_Init_thread");
      error = init_thread(argc, argv, level, &provided);
    }
  }
  return after_init(error, kRankSettings, [] {
    begin_session(MPI_THREAD_SINGLE);
    if (is_to_tune()) tune();
  });
}

int on_Init_thread(STRETTO_REAL(Init_thread) real, int* argc, char*** argv, int required,
                   int* provided) {
  const int level = std::max(level_to_request(required), required);
  int error = MPI_SUCCESS;
  {
    const Inside inside;
    error = real(argc, argv, level, provided);
  }
  return after_init(error, kRankSettings, [=] {
    begin_session(required);
    if (is_to_tune()) tune();
    *provided = program_level().value_or(*provided);
  });
}

int on_Query_thread(STRETTO_REAL(Query_thread) real, void* caller, int* provided) {
  const int error = real(provided);
  if (error != MPI_SUCCESS || !is_the_programs(caller)) return error;
  *provided = program_level().value_or(*provided);
  return error;
}

int on_Finalize(STRETTO_REAL(Finalize) real) {
  if (!in_session()) end_session();  // the lifeline
#if defined(OMPI_MAJOR_VERSION)
  const int error = real();
  // A function of the program's that fails keeps it from calling those that follow, ours among
  // them.
  if (in_session()) abandon_session();
  return error;
#else
  // MPICH takes no locks any more in what MPI_Finalize calls: one thread at a time may be there,
  // but for one that never calls it.
  Engine& engine = Engine::get();
  if (!engine.advances_in_memory()) engine.stop_thread();
  const int error = real();
  engine.stop_thread();
  return error;
#endif
}

// Its launcher may end before it has printed who called (hydra does at times).
int on_Abort(STRETTO_REAL(Abort) real, MPI_Comm comm, int errorcode) {
  lifeline::abort(errorcode);
  return real(comm, errorcode);
}

// What pending operations use is freed when they are done (MPI 4.1, 2.5.1).
int on_Type_free(STRETTO_REAL(Type_free) real, MPI_Datatype* datatype) {
  if (!Engine::get().free_type_later(*datatype)) return real(datatype);
  *datatype = native().datatype_null;
  return MPI_SUCCESS;
}

int on_Op_free(STRETTO_REAL(Op_free) real, MPI_Op* op) {
  if (!Engine::get().free_op_later(*op)) return real(op);
  *op = native().op_null;
  return MPI_SUCCESS;
}

int on_Comm_set_errhandler(STRETTO_REAL(Comm_set_errhandler) real, MPI_Comm comm,
                           MPI_Errhandler errhandler) {
  if (comm == native().comm_self) self_has_handler().store(true, std::memory_order_relaxed);
  const int error = real(comm, errhandler);
  if (error == MPI_SUCCESS) ErrorsReturned::keep(comm, errhandler);
  return error;
}

// ROMIO calls collectives of the MPI's by the names a program does, with locks of its own
// held: switching the MPI's locking there would leave them locked.
int on_File_open(STRETTO_REAL(File_open) real, MPI_Comm comm, const char* filename, int amode,
                 MPI_Info info, MPI_File* fh) {
  Engine::get().keep_locks();
  return real(comm, filename, amode, info, fh);
}

void attach_new(MPI_Comm comm, MPI_Comm parent) {
  // After stretto_finalize the MPI has all calls.
  if (comm == native().comm_null || !Engine::get().is_open()) return;
  communicators::attach(comm, communicators::find(parent));
}

namespace {

// A communicator with the ranks and the error handler of another; that itself where none can
// be made of it.
class SameRanks {
 public:
  explicit SameRanks(MPI_Comm comm) : comm_(comm) {
    int is_inter = 0;
    if (comm == native().comm_null) return;
    if (native().Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter != 0) return;
    MPI_Group group{};
    if (native().Comm_group(comm, &group) != MPI_SUCCESS) return;
    made_ = native().Comm_create(comm, group, &comm_) == MPI_SUCCESS;
    if (!made_) comm_ = comm;
    native().Group_free(&group);
  }
  ~SameRanks() {
    if (made_) native().Comm_free(&comm_);
  }
  SameRanks(const SameRanks&) = delete;
  SameRanks& operator=(const SameRanks&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_;
  bool made_ = false;
};

}  // namespace

// Open MPI 4.1 may send the edges over `comm_old` itself, with the tags of its 24th and
// 25th nonblocking collective there, and its receives from any source take those for edges and
// hang (topo_base_dist_graph_create.c, coll_tags.h). Stretto's channels take some of these tags,
// so a program that never met that might; on a communicator without a past it cannot happen.
int on_Dist_graph_create(STRETTO_REAL(Dist_graph_create) real, MPI_Comm comm_old, int n,
                         const int* sources, const int* degrees, const int* destinations,
                         const int* weights, MPI_Info info, int reorder, MPI_Comm* newcomm) {
  const Inside inside;
  MPI_Comm comm = comm_old;
#if defined(OMPI_MAJOR_VERSION)
  const SameRanks fresh(comm_old);
  comm = fresh.comm();
#endif
  return on_attach(comm_old, newcomm, [=] {
    return real(comm, n, sources, degrees, destinations, weights, info, reorder, newcomm);
  });
}

// The other group may hold ranks of another MPI_COMM_WORLD that nobody here has heard of: the
// leader need only know its leader. They are seen in what was made: by all ranks of this group
// together, where all run Stretto, as such a look takes long, and else by each alone.
int on_Intercomm_create(STRETTO_REAL(Intercomm_create) real, MPI_Comm local_comm, int local_leader,
                        MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm* newcomm) {
  const int error = real(local_comm, local_leader, peer_comm, remote_leader, tag, newcomm);
  if (error != MPI_SUCCESS) return error;
  if (!Engine::get().is_open()) return error;
  const bool is_known = communicators::find(local_comm) != nullptr;
  const bool all_here = is_known ? others_in_world(*newcomm, local_comm) : all_in_world(*newcomm);
  if (all_here) {
    attach_new(*newcomm, native().comm_null);
  } else {
    communicators::expect_foreign_ranks();
  }
  return error;
}

int on_Comm_free(STRETTO_REAL(Comm_free) real, MPI_Comm* comm) {
  const int error = real(comm);
  communicators::reap();
  return error;
}

int on_Comm_disconnect(STRETTO_REAL(Comm_disconnect) real, MPI_Comm* comm) {
  const int error = real(comm);
  communicators::reap();
  return error;
}

}  // namespace stretto::intercept::accelerate
