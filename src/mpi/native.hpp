// The MPI underneath, reached at run time.
//
// Stretto's libraries do not link an MPI: a preloaded library that needed libmpi
// would drag it into every shell the launcher starts, and would bring a second
// MPI into a program built on another one. So the MPI the process has loaded is
// looked up by soname at the first call, and its functions and predefined handles
// are read from it. Code in this house says native().Isend(...) and
// native().comm_world; it never names an MPI function or handle constant itself.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  // the removed C++ bindings would pull in half of libmpi_cxx
#endif
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>

namespace stretto {

// The MPI functions the layers above this one call.
// clang-format off
#define STRETTO_NATIVE_FUNCTIONS(X)                                                               \
  X(Abort) X(Allgather) X(Allreduce) X(Alltoall) X(Barrier) X(Bcast) X(Cancel) X(Cart_get)        \
  X(Cart_shift) X(Cartdim_get) X(Comm_call_errhandler) X(Comm_create) X(Comm_create_keyval)       \
  X(Comm_free) X(Comm_free_keyval) X(Comm_get_attr) X(Comm_get_errhandler) X(Comm_get_parent)     \
  X(Comm_group) X(Comm_rank) X(Comm_remote_group) X(Comm_remote_size) X(Comm_set_attr)            \
  X(Comm_set_errhandler) X(Comm_size) X(Comm_split) X(Comm_test_inter) X(Dist_graph_neighbors)    \
  X(Dist_graph_neighbors_count) X(Errhandler_free) X(Exscan) X(Gather) X(Get_library_version)     \
  X(Graph_neighbors) X(Graph_neighbors_count) X(Grequest_complete) X(Grequest_start)              \
  X(Group_free) X(Group_size) X(Group_translate_ranks) X(Improbe) X(Iprobe)                      \
  X(Irecv) X(Isend) X(Issend) X(Op_commutative) X(Op_free) X(Pack) X(Query_thread) X(Recv)        \
  X(Recv_init) X(Reduce) X(Reduce_local) X(Reduce_scatter_block) X(Request_free)                  \
  X(Request_get_status) X(Scan) X(Scatter) X(Send) X(Sendrecv) X(Start) X(Status_set_cancelled)   \
  X(Status_set_elements) X(Test) X(Test_cancelled) X(Testall) X(Testany) X(Testsome) X(Topo_test) \
  X(Type_commit) X(Type_contiguous) X(Type_create_struct) X(Type_free) X(Type_get_contents)       \
  X(Type_get_envelope) X(Type_get_extent) X(Type_get_true_extent) X(Type_size_x) X(Unpack)
// clang-format on

struct Native {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration takes none.
#define STRETTO_DECLARE(name) decltype(&PMPI_##name) name = nullptr;
  STRETTO_NATIVE_FUNCTIONS(STRETTO_DECLARE)
#undef STRETTO_DECLARE

  // Predefined handles: addresses of data in libmpi where the ABI is Open MPI's.
  MPI_Comm comm_world{};
  MPI_Comm comm_self{};
  MPI_Comm comm_null{};
  MPI_Group group_null{};
  MPI_Request request_null{};
  MPI_Datatype byte{};
  MPI_Datatype real{};  // MPI_DOUBLE
  MPI_Datatype packed{};
  MPI_Datatype datatype_null{};
  MPI_Op op_null{};
  MPI_Op op_sum{};
  MPI_Op op_band{};
  std::array<MPI_Op, 14> predefined_ops{};
  MPI_Errhandler errors_return{};
  MPI_Errhandler errors_are_fatal{};
  MPI_Errhandler errhandler_null{};
};

// Is the MPI this process has loaded the one this library was built for?
// False also while none is loaded yet. Once true it stays true.
[[nodiscard]] bool native_available();

// The table. Only where native_available().
[[nodiscard]] const Native& native();

[[nodiscard]] inline bool is_predefined(MPI_Op op) {
  return std::ranges::find(native().predefined_ops, op) != native().predefined_ops.end();
}

// For a keyval whose attributes stay where they are.
inline int copy_nothing(MPI_Comm /*comm*/, int /*keyval*/, void* /*extra*/, void* /*in*/,
                        void* /*out*/, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

// The function `name` (PMPI_<name>) of the MPI in this process, whichever ABI it
// has: what a wrapper forwards to. nullptr where it has none.
[[nodiscard]] void* native_symbol(const char* name);
// The same for a collective. Open MPI 4.1 has the persistent ones as extensions, under names
// of its own (PMPIX_<name>).
[[nodiscard]] void* native_collective(const char* name);
// The same for a variable.
[[nodiscard]] void* native_data(const char* name);

// What the MPI says it is, in one line. Only where native_available().
[[nodiscard]] std::string native_version();

// The soname of the MPI in this process ("libmpi.so.12"), empty where there is none.
[[nodiscard]] std::string native_soname();

}  // namespace stretto
