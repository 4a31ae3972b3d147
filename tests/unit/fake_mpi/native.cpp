// In native.cpp's place: the MPI underneath is this folder's.

#include "mpi/native.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/rank_context.hpp"
#include "fake_mpi/entered.hpp"

namespace stretto {
namespace {

template <class Function>
void read_function(const char* name, Function& function) {
  const auto found = fake_mpi::functions().find(std::string("PMPI_") + name);
  if (found == fake_mpi::functions().end()) {
    std::fprintf(stderr, "fake MPI: there is no %s\n", name);
    std::abort();
  }
  function = reinterpret_cast<Function>(found->second);
}

Native read() {
  Native table;
#define STRETTO_READ(name) read_function(#name, table.name);
  STRETTO_NATIVE_FUNCTIONS(STRETTO_READ)
#undef STRETTO_READ
#define STRETTO_SET(type, name, constant, symbol) table.name = MPI_##constant;
  STRETTO_NATIVE_HANDLES(STRETTO_SET)
#undef STRETTO_SET
#define STRETTO_OP(constant, symbol) MPI_##constant,
  table.predefined_ops = {STRETTO_PREDEFINED_OPS(STRETTO_OP)};
#undef STRETTO_OP
#define STRETTO_TYPE(constant, symbol) MPI_##constant,
  table.integer_types = {STRETTO_INTEGER_TYPES(STRETTO_TYPE)};
#undef STRETTO_TYPE
#define STRETTO_TYPE(constant, symbol, bytes, numbers) \
  Native::FloatingType{MPI_##constant, bytes, numbers},
  table.floating_types = {STRETTO_FLOATING_TYPES(STRETTO_TYPE)};
#undef STRETTO_TYPE
  return table;
}

// FAKE_MPI_LACKS names, with a space after each, functions that this MPI has not: Stretto looks
// once a process for those that it can do without.
bool lacks(const char* name) {
  const char* const missing = std::getenv("FAKE_MPI_LACKS");
  return missing != nullptr && std::strstr(missing, (std::string(name) + ' ').c_str()) != nullptr;
}

}  // namespace

bool native_available() { return true; }

const Native& native() {
  static const Native table = read();
  return table;
}

void* native_symbol(const char* name) {
  const auto found = fake_mpi::functions().find(std::string_view(name));
  return found == fake_mpi::functions().end() || lacks(name) ? nullptr : found->second;
}

void* native_collective(const char* name) {
  return native_symbol(("PMPI_" + std::string(name)).c_str());
}

void* native_data(const char* name) {
  if (std::strcmp(name, "opal_uses_threads") != 0) return nullptr;
  fake_mpi::Rank* const rank = of_rank<fake_mpi::Here>().rank;
  const bool has_it = rank != nullptr && rank->job.options.switches_locks;
  return has_it ? &rank->takes_locks : nullptr;
}

std::string native_version() { return "MPICH Version: fake"; }
int native_world_size() { return 1; }
std::string native_soname() { return "libmpi.so.12"; }

}  // namespace stretto
