/* Phases whose times on a LogGP machine are known: a tool in virtual time must tell just those.
 *
 * Each rank does nothing but communicate, and prints what each phase took by MPI_Wtime:
 *
 *   PHASE RANK NANOSECONDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#if MPI_VERSION < 4 && defined(OPEN_MPI) /* has them as an extension */
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define MPI_Reduce_init MPIX_Reduce_init
#endif

enum { SHORT = 1000, LONG = 2000, MANY = 200, TAG = 7 };
static char out[LONG], in[4 * LONG];
static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_Comm ring; /* a periodic Cartesian topology of all ranks in their order */

static void pass_on(int from, int to, int bytes) {
  if (rank == from) MPI_Send(out, bytes, MPI_BYTE, to, TAG, world);
  if (rank == to) MPI_Recv(in, bytes, MPI_BYTE, from, TAG, world, MPI_STATUS_IGNORE);
}

static void chain(void) {
  for (int hop = 0; hop < size; ++hop) pass_on(hop, (hop + 1) % size, SHORT);
}

static void fan_in(void) {
  MPI_Status status;
  if (rank != 0) MPI_Send(out, SHORT, MPI_BYTE, 0, rank, world);
  for (int i = 1; rank == 0 && i < size; ++i) {
    MPI_Recv(in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    CHECK(status.MPI_TAG == status.MPI_SOURCE);
  }
}

static void receive_two(MPI_Request requests[2]) {
  MPI_Irecv(in, SHORT, MPI_BYTE, 1, TAG, world, &requests[0]);
  MPI_Irecv(in, LONG, MPI_BYTE, 1, TAG, world, &requests[1]);
}

static void send_two(void) {
  MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  MPI_Send(out, LONG, MPI_BYTE, 0, TAG, world);
}

static void last_first(void) {
  MPI_Request requests[2];
  if (rank == 1) send_two();
  if (rank != 0) return;
  receive_two(requests);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void together(void) {
  MPI_Request requests[2];
  if (rank == 1) send_two();
  if (rank != 0) return;
  receive_two(requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void one_by_one(void) {
  MPI_Request requests[2];
  int index, count, indices[2];
  if (rank == 1) send_two();
  if (rank != 0) return;
  receive_two(requests);
  MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
  do {
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  } while (count != MPI_UNDEFINED);
}

static void persistent(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Recv_init(in, SHORT, MPI_BYTE, 1, TAG, world, &request);
  if (rank == 1) MPI_Send_init(out, SHORT, MPI_BYTE, 0, TAG, world, &request);
  for (int i = 0; i < 3 && rank < 2; ++i) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank < 2) MPI_Request_free(&request);
}

static void shift(void) {
  MPI_Sendrecv(out, SHORT, MPI_BYTE, (rank + 1) % size, TAG, in, SHORT, MPI_BYTE,
               (rank + size - 1) % size, TAG, world, MPI_STATUS_IGNORE);
}

static void probe(void) {
  MPI_Status status;
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  MPI_Probe(MPI_ANY_SOURCE, TAG, world, &status);
  MPI_Recv(in, SHORT, MPI_BYTE, status.MPI_SOURCE, TAG, world, MPI_STATUS_IGNORE);
}

static void matched_probe(void) {
  MPI_Message message;
  MPI_Status status;
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  MPI_Mprobe(MPI_ANY_SOURCE, TAG, world, &message, &status);
  MPI_Mrecv(in, SHORT, MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

/* Asks again and again; how often is the machine's matter. */
static void test_loop(void) {
  MPI_Request request;
  int done = 0;
  pass_on(0, 1, SHORT);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  MPI_Irecv(in, SHORT, MPI_BYTE, 1, TAG, world, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void probe_loop(void) {
  int found = 0;
  pass_on(0, 1, SHORT);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  while (!found) MPI_Iprobe(1, TAG, world, &found, MPI_STATUS_IGNORE);
  MPI_Recv(in, SHORT, MPI_BYTE, 1, TAG, world, MPI_STATUS_IGNORE);
}

/* More messages than anyone reads at once. */
static void burst(void) {
  MPI_Request request;
  if (rank == 1) {
    for (int i = 0; i < MANY; ++i) {
      MPI_Isend(out, 1, MPI_BYTE, 0, i, world, &request);
      MPI_Request_free(&request);
    }
  }
  if (rank != 0) return;
  for (int i = MANY; i-- > 0;) MPI_Recv(in, 1, MPI_BYTE, 1, i, world, MPI_STATUS_IGNORE);
}

static void to_oneself(void) {
  MPI_Request request;
  MPI_Irecv(in, SHORT, MPI_BYTE, rank, TAG, world, &request);
  MPI_Send(out, SHORT, MPI_BYTE, rank, TAG, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 0 comes late to collectives that cost nothing: whom does that delay? */
static void late_to(void (*collective)(void)) {
  pass_on(0, 1, SHORT);
  pass_on(1, 0, SHORT);
  collective();
}
static void bcast_from_last(void) { MPI_Bcast(out, 8, MPI_BYTE, size - 1, world); }
static void bcast_from_first(void) { MPI_Bcast(out, 8, MPI_BYTE, 0, world); }
static void reduce_to_last(void) { MPI_Reduce(out, in, 8, MPI_BYTE, MPI_BOR, size - 1, world); }
static void allreduce(void) { MPI_Allreduce(out, in, 8, MPI_BYTE, MPI_BOR, world); }
static void scan(void) { MPI_Scan(out, in, 8, MPI_BYTE, MPI_BOR, world); }
static void iallreduce(void) {
  MPI_Request request;
  MPI_Iallreduce(out, in, 8, MPI_BYTE, MPI_BOR, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void late_bcast_from_last(void) { late_to(bcast_from_last); }
static void late_bcast_from_first(void) { late_to(bcast_from_first); }
static void late_reduce(void) { late_to(reduce_to_last); }
static void late_allreduce(void) { late_to(allreduce); }
static void late_scan(void) { late_to(scan); }
static void late_iallreduce(void) { late_to(iallreduce); }

/* On a communicator of its own, with the ranks turned round. */
static void on_split(void) {
  MPI_Comm turned;
  MPI_Comm_split(world, 0, -rank, &turned);
  MPI_Barrier(world);
  int last;
  MPI_Comm_size(turned, &last);
  --last;
  if (rank == 0) MPI_Recv(in, SHORT, MPI_BYTE, last - 1, TAG, turned, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, last, TAG, turned);
  MPI_Comm_free(&turned);
}

/* Rank 0 has the others' ends to work out, and waits for something else. */
static void answers_meanwhile(void) {
  MPI_Request request;
  MPI_Iallreduce(out, in, 8, MPI_BYTE, MPI_BOR, world, &request);
  if (rank == 0) MPI_Recv(in + 8, SHORT, MPI_BYTE, 1, TAG, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
}

/* A test may not wait for a rank that needs what this one does next. */
static void early_root(void) {
  MPI_Request request;
  int done, index;
  if (rank == 1) MPI_Recv(in, SHORT, MPI_BYTE, 0, TAG, world, MPI_STATUS_IGNORE);
  MPI_Ibcast(out, 8, MPI_BYTE, 0, world, &request);
  if (rank == 0) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE);
    MPI_Send(out, SHORT, MPI_BYTE, 1, TAG, world);
  }
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
}

/* An earlier receive fits, but another sender's message was there first. */
static void wildcard_first(void) {
  MPI_Request any, mine;
  if (size == 2) return;
  if (rank == 0) MPI_Irecv(in, SHORT, MPI_BYTE, MPI_ANY_SOURCE, TAG, world, &any);
  MPI_Barrier(world);
  if (rank == 2) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  MPI_Barrier(world);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, world);
  if (rank != 0) return;
  int taken = 0;
  while (!taken) MPI_Request_get_status(any, &taken, MPI_STATUS_IGNORE);
  MPI_Irecv(in + SHORT, SHORT, MPI_BYTE, 1, TAG, world, &mine);
  MPI_Wait(&mine, MPI_STATUS_IGNORE);
  MPI_Wait(&any, MPI_STATUS_IGNORE);
}

/* To both neighbours. */
static void ring_exchange(void) {
  MPI_Neighbor_alltoall(out, SHORT, MPI_BYTE, in, SHORT, MPI_BYTE, ring);
}

/* What is received meanwhile is waited for last; rank 1 finds both messages there. */
static void ring_meanwhile(void) {
  MPI_Request request;
  int index;
  MPI_Ineighbor_alltoall(out, SHORT, MPI_BYTE, in + LONG, SHORT, MPI_BYTE, ring, &request);
  pass_on(0, 1, SHORT);
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
}

/* These cost nothing: who waits for rank 0, or for who waits for it? */
static void ring_allgather(void) {
  MPI_Neighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, ring);
}
static void ring_iallgather(void) {
  MPI_Request request;
  int done = 0;
  MPI_Ineighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, ring, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}
static void late_ring_allgather(void) { late_to(ring_allgather); }
static void late_ring_iallgather(void) { late_to(ring_iallgather); }

/* Rank 0 sends more than an MPI buffers to rank 1, which waits for what rank 0 works out. */
static void answers_neighbor(void) {
  static char much[1 << 20], of_another[1 << 20];
  const int first = 0, second = 1, weight = 1;
  MPI_Comm line;
  MPI_Request request;
  MPI_Dist_graph_create_adjacent(world, rank == 1, &first, &weight, rank == 0, &second, &weight,
                                 MPI_INFO_NULL, 0, &line);
  MPI_Ibarrier(world, &request);
  if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Neighbor_allgather(much, sizeof much, MPI_BYTE, of_another, sizeof much, MPI_BYTE, line);
  if (rank != 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
}

/* Each with its own, one after the other on the same communicator, among other messages. */
static void ring_many(void) {
  MPI_Request requests[4];
  int index, count, indices[4];
  MPI_Ineighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, ring, &requests[0]);
  MPI_Isend(out, 8, MPI_BYTE, rank, 0, ring, &requests[1]);
  MPI_Irecv(in + LONG, 8, MPI_BYTE, rank, 0, ring, &requests[2]);
  MPI_Ineighbor_alltoall(out, SHORT, MPI_BYTE, in + 2 * LONG, SHORT, MPI_BYTE, ring, &requests[3]);
  MPI_Waitany(1, &requests[3], &index, MPI_STATUS_IGNORE);
  do {
    MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
  } while (count != MPI_UNDEFINED);
}

static void persistent_allreduce(void) {
  MPI_Request request;
  MPI_Allreduce_init(out, in, 8, MPI_BYTE, MPI_BOR, world, MPI_INFO_NULL, &request);
  for (int turn = 0; turn < 3; ++turn) {
    if (turn == 2) pass_on(0, 1, SHORT);
    if (turn == 2) pass_on(1, 0, SHORT);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

/* Ranks may start them in different orders (MPI 4.1, 6.13); with Intel MPI 2021.19 alone, too, that
 * never ends. */
static int knows_any_order(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  return strstr(version, "Intel") == NULL;
}

/* Rank 1 starts the second one first, and is late to the first: the root of that waits for it. */
static void persistent_any_order(void) {
  MPI_Request requests[2];
  const int early = rank == 1 && knows_any_order();
  MPI_Reduce_init(out, in, 8, MPI_BYTE, MPI_BOR, size - 1, world, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(out + 8, 8, MPI_BYTE, 0, world, MPI_INFO_NULL, &requests[1]);
  if (early) MPI_Start(&requests[1]);
  if (rank != 1) MPI_Startall(2, requests);
  pass_on(0, 1, SHORT);
  if (rank == 1) MPI_Start(&requests[0]);
  if (rank == 1 && !early) MPI_Start(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void persistent_ring(void) {
  MPI_Request request;
  MPI_Neighbor_alltoall_init(out, SHORT, MPI_BYTE, in, SHORT, MPI_BYTE, ring, MPI_INFO_NULL,
                             &request);
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Startall(1, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&request);
}

/* Two at a time; messages on them are told apart by nothing else. */
static void on_idup(void) {
  MPI_Comm dups[2];
  MPI_Request requests[2];
  int done = 0;
  MPI_Comm_idup(world, &dups[0], &requests[0]);
  MPI_Comm_idup(world, &dups[1], &requests[1]);
  while (!done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  if (rank == 0) MPI_Recv(in, SHORT, MPI_BYTE, 1, TAG, dups[1], MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Recv(in, LONG, MPI_BYTE, 1, TAG, dups[0], MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, LONG, MPI_BYTE, 0, TAG, dups[0]);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, dups[1]);
  MPI_Comm_free(&dups[0]);
  MPI_Comm_free(&dups[1]);
}

/* What is seen to be complete may be used. */
static void idup_seen(void) {
  MPI_Comm dup;
  MPI_Request request;
  int done = 0;
  MPI_Comm_idup(world, &dup, &request);
  while (rank == 1 && !done) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, SHORT, MPI_BYTE, 0, TAG, dup);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Recv(in, SHORT, MPI_BYTE, 1, TAG, dup, MPI_STATUS_IGNORE);
  MPI_Comm_free(&dup);
}

static const struct {
  const char* name;
  void (*run)(void);
} phases[] = {
    {"chain", chain},
    {"fan_in", fan_in},
    {"last_first", last_first},
    {"together", together},
    {"one_by_one", one_by_one},
    {"persistent", persistent},
    {"shift", shift},
    {"probe", probe},
    {"matched_probe", matched_probe},
    {"test_loop", test_loop},
    {"probe_loop", probe_loop},
    {"burst", burst},
    {"to_oneself", to_oneself},
    {"late_bcast_from_last", late_bcast_from_last},
    {"late_bcast_from_first", late_bcast_from_first},
    {"late_reduce", late_reduce},
    {"late_allreduce", late_allreduce},
    {"late_scan", late_scan},
    {"late_iallreduce", late_iallreduce},
    {"on_split", on_split},
    {"answers_meanwhile", answers_meanwhile},
    {"early_root", early_root},
    {"wildcard_first", wildcard_first},
    {"ring_exchange", ring_exchange},
    {"ring_meanwhile", ring_meanwhile},
    {"late_ring_allgather", late_ring_allgather},
    {"late_ring_iallgather", late_ring_iallgather},
    {"ring_many", ring_many},
    {"persistent_allreduce", persistent_allreduce},
    {"persistent_any_order", persistent_any_order},
    {"persistent_ring", persistent_ring},
    {"answers_neighbor", answers_neighbor},
    {"on_idup", on_idup},
    {"idup_seen", idup_seen},
};
enum { PHASES = sizeof phases / sizeof phases[0] };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  const int all_round = 1;
  MPI_Cart_create(world, 1, &size, &all_round, 0, &ring);
  double took[PHASES];
  for (int i = 0; i < PHASES; ++i) {
    MPI_Barrier(world);
    const double begin = MPI_Wtime();
    phases[i].run();
    took[i] = (MPI_Wtime() - begin) * 1e9;
  }
  double* all = malloc(sizeof took * (size_t)size);
  MPI_Gather(took, PHASES, MPI_DOUBLE, all, PHASES, MPI_DOUBLE, 0, world);
  for (int r = 0; rank == 0 && r < size; ++r) {
    for (int i = 0; i < PHASES; ++i) {
      printf("%s %d %.1f\n", phases[i].name, r, all[r * PHASES + i]);
    }
  }
  free(all);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
