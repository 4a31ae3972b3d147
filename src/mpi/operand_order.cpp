#include "mpi/operand_order.hpp"

#include "mpi/native.hpp"

namespace stretto {

bool depends_on_order(MPI_Op op, MPI_Datatype type) {
  if (op == native().op_sum || op == native().op_prod) return !is_integer(type);
  return !is_predefined(op);
}

}  // namespace stretto
