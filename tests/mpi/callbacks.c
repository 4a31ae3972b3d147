/* Collectives called from within MPI's callbacks: attributes copied and deleted, and error
 * handlers; on all ranks, and on one while the others make the same call themselves.
 *
 * Knows nothing of Stretto. Prints "callbacks ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>

#include "check.h"

static int copied, deleted, handled;

static void sum_of_all(void) {
  int mine = rank + 1, sum = 0;
  MPI_Request request;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * (size + 1) / 2);
  sum = 0;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size * (size + 1) / 2);
}

static int copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)keyval, (void)extra;
  ++copied;
  sum_of_all();
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval, (void)value, (void)extra;
  ++deleted;
  sum_of_all();
  MPI_Barrier(comm);
  return MPI_SUCCESS;
}

static void handler(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  ++handled;
  sum_of_all();
}

static void attributes(void) {
  int keyval, value = 7;
  MPI_Comm first, second;
  MPI_Comm_create_keyval(copy, delete, &keyval, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, keyval, &value);
  MPI_Comm_dup(first, &second);
  MPI_Comm_free(&second);
  MPI_Comm_free(&first);
  CHECK(copied == 1 && deleted == 2);

  /* Only on one rank does a callback run: the others call what it calls. */
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  if (rank == 0) MPI_Comm_set_attr(first, keyval, &value);
  if (rank == 0) {
    MPI_Comm_delete_attr(first, keyval);
  } else {
    delete(first, keyval, NULL, NULL);
  }
  MPI_Comm_free(&first);
  MPI_Comm_free_keyval(&keyval);
}

static void error_handlers(void) {
  MPI_Comm comm;
  MPI_Errhandler errhandler;
  int value = rank;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handler, &errhandler);
  MPI_Comm_set_errhandler(comm, errhandler);
  MPI_Bcast(&value, 1, MPI_INT, size, comm);
  CHECK(handled == 1);

  if (rank == 0) {
    MPI_Bcast(&value, -1, MPI_INT, 0, comm);
  } else {
    sum_of_all();
  }
  CHECK(handled == (rank == 0 ? 2 : 1));
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  MPI_Errhandler_free(&errhandler);
  MPI_Comm_free(&comm);
}

/* Several at once, one of which fails on the ranks that expect less than they get. */
static void among_others(int waits) {
  static int sent[100], got[100];
  int mine = 1, sum = 0, indices[3], done = 0, error = MPI_SUCCESS;
  MPI_Comm comm;
  MPI_Request requests[3];
  MPI_Status statuses[3];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(rank == 0 ? sent : got, rank == 0 ? 100 : 10, MPI_INT, 0, comm, &requests[1]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
  if (waits) {
    error = MPI_Waitall(3, requests, statuses);
    CHECK(error == (rank == 0 ? MPI_SUCCESS : MPI_ERR_IN_STATUS));
    for (int i = 0; rank != 0 && i < 3; ++i) {
      int class = MPI_SUCCESS;
      MPI_Error_class(statuses[i].MPI_ERROR, &class);
      CHECK(class == (i == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    }
  } else {
    for (int failures = 0; done < 3;) {
      int some = 0;
      error = MPI_Testsome(3, requests, &some, indices, statuses);
      failures += error != MPI_SUCCESS;
      CHECK(error == MPI_SUCCESS || error == MPI_ERR_IN_STATUS);
      for (int i = 0; i < some && error != MPI_SUCCESS; ++i) {
        CHECK((statuses[i].MPI_ERROR != MPI_SUCCESS) == (indices[i] == 1));
      }
      done += some;
      CHECK(done < 3 || failures == (rank != 0));
    }
  }
  CHECK(sum == size);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  attributes();
  error_handlers();
  /* On the MPIs alone these errors are told to MPI_COMM_WORLD or to nobody. */
  if (argc > 1) among_others(1), among_others(0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("callbacks ok\n");
  MPI_Finalize();
  return 0;
}
