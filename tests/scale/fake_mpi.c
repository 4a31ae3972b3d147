/* An MPI of as many ranks as FAKE_MPI_RANKS says, of which this process is the only one: what the
 * others would send is made up as it is asked for, and nothing here grows with their number. It
 * has MPICH's ABI and as much of MPI as Stretto calls when it gets to know communicators.
 *
 * Rank r is on host r / FAKE_MPI_PPN, on its core r % FAKE_MPI_PPN. Communicators that are made
 * have all ranks (MPI_Comm_dup) or SMALL of them (MPI_Comm_split), every STRIDE-th from this
 * process's own on. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 16, STRIDE = 3, MOST = 1024, FIRST_MADE = 0x04000010 };
#define MADE(comm) (((comm) & 0x00ffffff) % MOST)

static int ranks, ppn;
static int members_of[MOST]; /* 0: all */
static void* attributes[MOST];
static int made;

static int me(void) { return ranks / 2 + (ranks > 2); }
static int is_self(MPI_Comm comm) { return comm == MPI_COMM_SELF; }
static int members(MPI_Comm comm) {
  if (is_self(comm)) return 1;
  return members_of[MADE(comm)] != 0 ? members_of[MADE(comm)] : ranks;
}
static MPI_Comm make(int number) {
  const MPI_Comm comm = FIRST_MADE + ++made % (MOST / 2);
  members_of[MADE(comm)] = number;
  attributes[MADE(comm)] = NULL;
  return comm;
}

#define BOTH(name) __attribute__((alias("P" #name)))
#define FUNCTION(name, parameters) \
  int P##name parameters;          \
  int name parameters BOTH(name);  \
  int P##name parameters

FUNCTION(MPI_Init, (int* argc, char*** argv)) {
  (void)argc, (void)argv;
  const char* number = getenv("FAKE_MPI_RANKS");
  const char* on_host = getenv("FAKE_MPI_PPN");
  ranks = number != NULL ? atoi(number) : 2;
  ppn = on_host != NULL ? atoi(on_host) : 1;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Init_thread, (int* argc, char*** argv, int required, int* provided)) {
  *provided = required;
  return PMPI_Init(argc, argv);
}
FUNCTION(MPI_Query_thread, (int* provided)) {
  *provided = MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_rank, (MPI_Comm comm, int* rank)) {
  *rank = members(comm) == ranks ? me() : 0;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_size, (MPI_Comm comm, int* size)) {
  *size = members(comm);
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_test_inter, (MPI_Comm comm, int* flag)) {
  (void)comm;
  *flag = 0;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_get_parent, (MPI_Comm * parent)) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm)) {
  *newcomm = make(members(comm) == ranks ? 0 : members(comm));
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm)) {
  (void)group;
  return PMPI_Comm_dup(comm, newcomm);
}
FUNCTION(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm)) {
  (void)comm, (void)color, (void)key;
  *newcomm = make(SMALL);
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_create_keyval, (MPI_Comm_copy_attr_function * copy,
                                  MPI_Comm_delete_attr_function* gone, int* keyval, void* extra)) {
  (void)copy, (void)gone, (void)extra;
  *keyval = 1;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_set_attr, (MPI_Comm comm, int keyval, void* value)) {
  (void)keyval;
  attributes[MADE(comm)] = value;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Comm_get_attr, (MPI_Comm comm, int keyval, void* value, int* flag)) {
  static int highest_tag = (1 << 28) - 1;
  void* found = keyval == MPI_TAG_UB ? (void*)&highest_tag : attributes[MADE(comm)];
  memcpy(value, &found, sizeof found);
  *flag = found != NULL;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Topo_test, (MPI_Comm comm, int* status)) {
  (void)comm;
  *status = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
FUNCTION(MPI_Group_translate_ranks,
         (MPI_Group from, int n, const int* in, MPI_Group to, int* out)) {
  (void)from, (void)to;
  abort(); /* Open MPI's takes time for each pair of ranks. */
  for (int i = 0; i < n; ++i) out[i] = in[i];
  return MPI_SUCCESS;
}
/* Every rank says what this one does, but for what must differ: where it is, and who. */
FUNCTION(MPI_Allgather, (const void* in, int count, MPI_Datatype type, void* out, int each,
                         MPI_Datatype got, MPI_Comm comm)) {
  (void)type, (void)each, (void)got;
  const int number = members(comm);
  for (int r = 0; r < number; ++r) {
    char* block = (char*)out + (size_t)r * (size_t)count;
    memcpy(block, in, (size_t)count);
    if (count == sizeof(uint64_t) && r / ppn != me() / ppn) {
      const uint64_t word = (uint64_t)(r / ppn) * 0x9e3779b97f4a7c15u + 1;
      memcpy(block, &word, sizeof word);
    } else if (count == sizeof(int) && number == ranks) {
      /* A core complex of eight cores, and a socket of two of those. */
      const uint16_t groups[] = {(uint16_t)(r % ppn / 8 * 8), (uint16_t)(r % ppn / 16 * 16)};
      memcpy(block, groups, sizeof groups);
    } else if (count == sizeof(int)) {
      const int rank = me() + r * STRIDE;
      memcpy(block, &rank, sizeof rank);
    }
  }
  return MPI_SUCCESS;
}
FUNCTION(MPI_Allreduce,
         (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  (void)op, (void)comm;
  memcpy(out, in, (size_t)count * (type == MPI_BYTE ? 1 : sizeof(double)));
  return MPI_SUCCESS;
}
FUNCTION(MPI_Get_library_version, (char* version, int* length)) {
  strcpy(version, "Fake MPI");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}

/* Nothing to do, or never called here: by a name of its own each, as Stretto looks for it. */
/* clang-format off */
#define NOTHING(name)                                                              \
  int fake_##name(void) __asm__("PMPI_" #name);                                    \
  int fake_##name(void) { return MPI_SUCCESS; }                                    \
  int fake_plain_##name(void) __asm__("MPI_" #name) __attribute__((alias("PMPI_" #name)));
NOTHING(Abort) NOTHING(Finalize) NOTHING(Alltoall) NOTHING(Barrier) NOTHING(Bcast) NOTHING(Cancel)
NOTHING(Cart_get) NOTHING(Cart_shift) NOTHING(Cartdim_get) NOTHING(Comm_call_errhandler)
NOTHING(Comm_free) NOTHING(Comm_free_keyval) NOTHING(Comm_get_errhandler) NOTHING(Comm_group)
NOTHING(Comm_remote_group) NOTHING(Comm_remote_size) NOTHING(Comm_set_errhandler)
NOTHING(Dist_graph_neighbors) NOTHING(Dist_graph_neighbors_count) NOTHING(Errhandler_free)
NOTHING(Exscan) NOTHING(Gather) NOTHING(Graph_neighbors) NOTHING(Graph_neighbors_count)
NOTHING(Grequest_complete) NOTHING(Grequest_start) NOTHING(Group_free) NOTHING(Group_size)
NOTHING(Improbe) NOTHING(Intercomm_merge) NOTHING(Iprobe) NOTHING(Irecv) NOTHING(Isend)
NOTHING(Issend) NOTHING(Op_commutative) NOTHING(Op_free) NOTHING(Pack) NOTHING(Recv)
NOTHING(Recv_init) NOTHING(Reduce) NOTHING(Reduce_local) NOTHING(Reduce_scatter_block)
NOTHING(Request_free) NOTHING(Request_get_status) NOTHING(Scan) NOTHING(Scatter) NOTHING(Send)
NOTHING(Sendrecv) NOTHING(Type_commit) NOTHING(Type_contiguous) NOTHING(Type_create_struct) NOTHING(Start) NOTHING(Status_set_cancelled) NOTHING(Status_set_elements)
NOTHING(Test) NOTHING(Test_cancelled) NOTHING(Testall) NOTHING(Testany) NOTHING(Testsome)
NOTHING(Type_free) NOTHING(Type_get_contents) NOTHING(Type_get_envelope) NOTHING(Type_get_extent)
NOTHING(Type_get_true_extent) NOTHING(Type_size_x) NOTHING(Unpack)
