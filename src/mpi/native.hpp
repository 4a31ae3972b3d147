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

// Predefined handles: their types and names here, their names in <mpi.h> and, where the ABI is Open
// MPI's and they are addresses of data in libmpi, what that data is called.
#define STRETTO_NATIVE_HANDLES(X)                                                                 \
  X(Comm, comm_world, COMM_WORLD, ompi_mpi_comm_world)                                            \
  X(Comm, comm_self, COMM_SELF, ompi_mpi_comm_self)                                               \
  X(Comm, comm_null, COMM_NULL, ompi_mpi_comm_null)                                               \
  X(Group, group_null, GROUP_NULL, ompi_mpi_group_null)                                           \
  X(Request, request_null, REQUEST_NULL, ompi_request_null)                                       \
  X(Datatype, byte, BYTE, ompi_mpi_byte)                                                          \
  X(Datatype, int32, INT, ompi_mpi_int)                                                           \
  X(Datatype, int64, LONG, ompi_mpi_long)                                                         \
  X(Datatype, single, FLOAT, ompi_mpi_float)                                                      \
  X(Datatype, real, DOUBLE, ompi_mpi_double)                                                      \
  X(Datatype, packed, PACKED, ompi_mpi_packed)                                                    \
  X(Datatype, datatype_null, DATATYPE_NULL, ompi_mpi_datatype_null)                               \
  X(Op, op_null, OP_NULL, ompi_mpi_op_null)                                                       \
  X(Op, op_sum, SUM, ompi_mpi_op_sum)                                                             \
  X(Op, op_prod, PROD, ompi_mpi_op_prod)                                                          \
  X(Op, op_max, MAX, ompi_mpi_op_max)                                                             \
  X(Op, op_min, MIN, ompi_mpi_op_min)                                                             \
  X(Op, op_band, BAND, ompi_mpi_op_band)                                                          \
  X(Op, op_bor, BOR, ompi_mpi_op_bor)                                                             \
  X(Info, info_null, INFO_NULL, ompi_mpi_info_null)                                               \
  X(Errhandler, errors_return, ERRORS_RETURN, ompi_mpi_errors_return)                             \
  X(Errhandler, errors_are_fatal, ERRORS_ARE_FATAL, ompi_mpi_errors_are_fatal)                    \
  X(Errhandler, errhandler_null, ERRHANDLER_NULL, ompi_mpi_errhandler_null)

#define STRETTO_PREDEFINED_OPS(X)                                                               \
  X(MAX, max) X(MIN, min) X(SUM, sum) X(PROD, prod) X(LAND, land) X(BAND, band) X(LOR, lor)     \
  X(BOR, bor) X(LXOR, lxor) X(BXOR, bxor) X(MAXLOC, maxloc) X(MINLOC, minloc)                   \
  X(REPLACE, replace) X(NO_OP, no_op)

// Those whose sums do not round.
#define STRETTO_INTEGER_TYPES(X)                                                                \
  X(SIGNED_CHAR, signed_char) X(UNSIGNED_CHAR, unsigned_char) X(SHORT, short)                   \
  X(UNSIGNED_SHORT, unsigned_short) X(INT, int) X(UNSIGNED, unsigned) X(LONG, long)             \
  X(UNSIGNED_LONG, unsigned_long) X(LONG_LONG, long_long_int)                                   \
  X(UNSIGNED_LONG_LONG, unsigned_long_long) X(INT8_T, int8_t) X(INT16_T, int16_t)               \
  X(INT32_T, int32_t) X(INT64_T, int64_t) X(UINT8_T, uint8_t) X(UINT16_T, uint16_t)             \
  X(UINT32_T, uint32_t) X(UINT64_T, uint64_t) X(AINT, aint) X(OFFSET, offset) X(COUNT, count)   \
  X(INTEGER, integer)

// Those of numbers of C's double (8 bytes) or float, and how many of them make an element: in
// Fortran as it is compiled usually.
#define STRETTO_FLOATING_TYPES(X)                                                               \
  X(DOUBLE, double, 8, 1) X(FLOAT, float, 4, 1)                                                 \
  X(C_DOUBLE_COMPLEX, c_double_complex, 8, 2) X(C_FLOAT_COMPLEX, c_float_complex, 4, 2)         \
  X(DOUBLE_PRECISION, dblprec, 8, 1) X(REAL, real, 4, 1) X(REAL8, real8, 8, 1)                  \
  X(REAL4, real4, 4, 1) X(DOUBLE_COMPLEX, dblcplex, 8, 2) X(COMPLEX, cplex, 4, 2)               \
  X(COMPLEX16, complex16, 8, 2) X(COMPLEX8, complex8, 4, 2)
// clang-format on

struct Native {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration takes none.
#define STRETTO_DECLARE(name) decltype(&PMPI_##name) name = nullptr;
  STRETTO_NATIVE_FUNCTIONS(STRETTO_DECLARE)
#undef STRETTO_DECLARE

#define STRETTO_DECLARE(type, name, constant, symbol) MPI_##type name{};
  STRETTO_NATIVE_HANDLES(STRETTO_DECLARE)
#undef STRETTO_DECLARE
  std::array<MPI_Op, 14> predefined_ops{};
  std::array<MPI_Datatype, 22> integer_types{};
  struct FloatingType {
    MPI_Datatype type{};
    int number_bytes = 0;
    int numbers = 0;
  };
  std::array<FloatingType, 12> floating_types{};
};

// Is the MPI this process has loaded the one this library was built for?
// False also while none is loaded yet. Once true it stays true.
[[nodiscard]] bool native_available();

// The table. Only where native_available().
[[nodiscard]] const Native& native();

[[nodiscard]] inline bool is_predefined(MPI_Op op) {
  return std::ranges::find(native().predefined_ops, op) != native().predefined_ops.end();
}

[[nodiscard]] inline bool is_integer(MPI_Datatype type) {
  return std::ranges::find(native().integer_types, type) != native().integer_types.end();
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

// What the MPI says it is, in one line; empty where there is none.
[[nodiscard]] std::string native_version();

// How many ranks MPI_COMM_WORLD has, of an MPI with another interface than this variant's, too; 0
// where there is none.
[[nodiscard]] int native_world_size();

// The soname of the MPI in this process ("libmpi.so.12"), empty where there is none.
[[nodiscard]] std::string native_soname();

}  // namespace stretto
