#include "mpi/operand_order.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "base/rank_context.hpp"
#include "mpi/reducible.hpp"
#include "mpi/type_contents.hpp"

namespace stretto {
namespace {

// What a rank has found out. No type that a program has made is one of these, whatever its handle
// is used for later.
struct IntegerTypes {
  std::mutex mutex;
  std::vector<std::pair<MPI_Datatype, bool>> known;
};

// It has nothing to destroy (see CommAttributes).
struct LastType {
  const IntegerTypes* of = nullptr;
  MPI_Datatype type{};
  bool is_integer = false;
};
constinit thread_local LastType last_type [[gnu::tls_model("initial-exec")]];

// Bits can be and-ed of integers alone, MPI_BYTE among them, which cannot be added.
bool is_integer(MPI_Datatype type) {
  auto& [mutex, known] = of_rank<IntegerTypes>();
  const std::lock_guard lock(mutex);
  for (const auto& [each, is] : known) {
    if (each == type) return is;
  }
  constexpr std::size_t kMost = 128;
  if (known.size() == kMost) known.clear();
  // Where the MPI was made to check no arguments, it takes fractions, too.
  const bool is = type != native().datatype_null && combiner_of(type) == MPI_COMBINER_NAMED &&
                  reducible(native().op_band, type) && !reducible(native().op_band, native().real);
  known.emplace_back(type, is);
  return is;
}

bool is_last_integer(MPI_Datatype type) {
  const IntegerTypes* const here = &of_rank<IntegerTypes>();
  if (last_type.of != here || last_type.type != type) {
    last_type = {here, type, is_integer(type)};
  }
  return last_type.is_integer;
}

}  // namespace

bool depends_on_order(MPI_Op op, MPI_Datatype type) {
  if (op == native().op_sum || op == native().op_prod) return !is_last_integer(type);
  return !is_predefined(op);
}

}  // namespace stretto
