/* Phases whose times on a LogGP machine are known: a tool in virtual time must tell just those.
 *
 * Each rank does nothing but communicate, and prints what each phase took by MPI_Wtime:
 *
 *   PHASE RANK NANOSECONDS */
#include <stdlib.h>

#include "known_times/collectives.h"
#include "known_times/messages.h"
#include "known_times/ring.h"

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
