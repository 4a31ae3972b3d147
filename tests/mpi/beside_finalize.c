/* Functions that MPI_Finalize calls, beside which a library must leave what they need.
 *
 *   finalize  a collective in such a function, which others call before
 *   busy      nonblocking collectives and messages in one
 *   fails     one fails; prints the names of the threads that are left */
#include <dirent.h>

#include "beside.h"

enum { kRounds = 30 };

static void sum_of_ranks(void) {
  MPI_Request request;
  int sum = 0;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size * (size - 1) / 2);
}

static int last(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm;
  (void)keyval;
  (void)value;
  (void)extra;
  sum_of_ranks();
  return MPI_SUCCESS;
}

static void call_in_finalize(MPI_Comm_delete_attr_function* function) {
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
}

static void finalize(void) {
  if (rank != 0) return sum_of_ranks();
  call_in_finalize(last);
}

enum { kLong = 1 << 20, kMessage = 1 << 16 };

static int work_meanwhile(MPI_Comm comm, int keyval, void* value, void* extra) {
  static char vectors[4][kLong], out[kMessage], in[kMessage];
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Request requests[4];
  (void)comm, (void)keyval, (void)value, (void)extra;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 4; ++i) {
      const int root = (round + i) % size;
      memset(vectors[i], rank == root ? round + i : -1, kLong);
      MPI_Ibcast(vectors[i], kLong, MPI_CHAR, root, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < 20; ++i) {
      MPI_Sendrecv(out, kMessage, MPI_CHAR, next, 1, in, kMessage, MPI_CHAR, previous, 1,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; ++i) CHECK(vectors[i][0] == round + i);
    for (int i = 0; i < 4; ++i) CHECK(vectors[i][kLong - 1] == round + i);
  }
  return MPI_SUCCESS;
}

static int fail(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  return MPI_ERR_OTHER;
}

static void fails(void) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  sum_of_ranks();
  call_in_finalize(fail);
}

static void print_threads(void) {
  struct dirent* entry;
  DIR* const threads = opendir("/proc/self/task");
  while (threads != NULL && (entry = readdir(threads)) != NULL) {
    char path[300], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE* const file = fopen(path, "r");
    if (file == NULL) continue;
    if (fgets(name, sizeof name, file) != NULL) printf("thread %s", name);
    fclose(file);
  }
  closedir(threads);
}

static void busy(void) { call_in_finalize(work_meanwhile); }

static const Case cases[] = {
    {"finalize", finalize, MPI_THREAD_SINGLE},
    {"busy", busy, MPI_THREAD_SINGLE},
    {"fails", fails, MPI_THREAD_SINGLE},
};

int main(int argc, char** argv) {
  const int prints_threads = strcmp(argv[argc - 1], "fails") == 0;
  run_case(argc, argv, cases, sizeof cases / sizeof *cases);
  if (prints_threads) print_threads();
  return 0;
}
