#include "mpi/operand_order.hpp"

#include "mpi/native.hpp"

namespace stretto {

bool depends_on_order(MPI_Op op, MPI_Datatype type, int ranks) {
  // The sum of two is rounded once, whichever is the first (IEEE 754, 5.4.1). Not so a product of
  // complex numbers, where a compiler may round one of its products with the sum.
  if (op == native().op_sum && type != native().datatype_null && ranks <= 2) return false;
  if (op == native().op_sum || op == native().op_prod) return !is_integer(type);
  return !is_predefined(op);
}

}  // namespace stretto
