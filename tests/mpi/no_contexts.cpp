// The MPI has no context left for a communicator of Stretto's own: it stays with the MPI, and no
// error handler of the program's is called. Prints "no contexts ok" on rank 0.
//
// no_contexts own|first|self|alone: Stretto was called before; it was not; it was, and
// MPI_COMM_SELF has a handler; only rank 0 has no context left, and only there Stretto was not
// called.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "stretto/stretto.h"

namespace {

constexpr std::size_t kMost = 4000;  // MPICH has 2,048; Open MPI has too many to use them up

void must_not_be_called(MPI_Comm* /*comm*/, int* error, ...) {  // NOLINT(cert-dcl50-cpp)
  std::printf("a handler of the program's is called: error %d\n", *error);
  std::fflush(stdout);
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const std::string which = argc > 1 ? argv[1] : "";
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm apart{};
  MPI_Comm_dup(MPI_COMM_WORLD, &apart);
  MPI_Group all{};
  MPI_Comm_group(apart, &all);
  MPI_Comm made{};  // has no handler of its own with MPICH
  MPI_Comm_create(apart, all, &made);
  const bool alone = which == "alone";
  if (which != "first" && !alone) stretto_attach(MPI_COMM_WORLD);
  if (alone && rank > 0) stretto_attach(MPI_COMM_SELF);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (alone) MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::vector<MPI_Comm> copies;
  const MPI_Comm of = alone ? MPI_COMM_SELF : MPI_COMM_WORLD;
  const std::size_t most = alone && rank > 0 ? 0 : kMost;
  for (MPI_Comm copy{}; copies.size() < most && MPI_Comm_dup(of, &copy) == 0;) {
    copies.push_back(copy);
  }
  MPI_Errhandler handler{};
  MPI_Comm_create_errhandler(must_not_be_called, &handler);
  if (which == "self") MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);

  const bool attached = stretto_attach(made) == MPI_SUCCESS;
  const int one = 1;
  int sum = 0;
  int size = 0;
  stretto_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
  MPI_Comm_size(made, &size);
  for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
  stretto_finalize();
  if (rank == 0 && sum == size && attached == (copies.size() == kMost)) {
    std::puts("no contexts ok");
  }
  MPI_Group_free(&all);
  MPI_Comm_free(&made);
  MPI_Comm_free(&apart);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
