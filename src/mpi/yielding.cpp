#include "mpi/yielding.hpp"

#include <cstdlib>

#include "mpi/native.hpp"

namespace stretto {
namespace {

// MPICH polls so often before it sleeps for a moment; some 10 us.
constexpr int kPolls = 100;

template <class Function>
Function symbol(const char* name) {
  return reinterpret_cast<Function>(native_symbol(name));
}

void set_variable(const char* name, int value) {
  const auto index_of = symbol<int (*)(const char*, int*)>("PMPI_T_cvar_get_index");
  const auto allocate =
      symbol<int (*)(int, void*, MPI_T_cvar_handle*, int*)>("PMPI_T_cvar_handle_alloc");
  const auto write = symbol<int (*)(MPI_T_cvar_handle, const void*)>("PMPI_T_cvar_write");
  const auto free_handle = symbol<int (*)(MPI_T_cvar_handle*)>("PMPI_T_cvar_handle_free");
  if (index_of == nullptr || allocate == nullptr || write == nullptr || free_handle == nullptr) {
    return;
  }
  int index = 0;
  int count = 0;
  MPI_T_cvar_handle handle{};
  if (index_of(name, &index) != MPI_SUCCESS) return;
  if (allocate(index, nullptr, &handle, &count) != MPI_SUCCESS) return;
  if (count == 1) write(handle, &value);
  free_handle(&handle);
}

// By the MPI's tool interface (MPI 4.1, 15.3.6).
void make_mpich_yield() {
  constexpr const char* kThrottle = "MPIR_CVAR_CH4_PROGRESS_THROTTLE";
  constexpr const char* kCount = "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT";
  if (std::getenv(kThrottle) != nullptr) return;
  const auto begin = symbol<int (*)(int, int*)>("PMPI_T_init_thread");
  const auto end = symbol<int (*)()>("PMPI_T_finalize");
  if (begin == nullptr || end == nullptr) return;
  int level = 0;
  if (begin(MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) return;
  if (std::getenv(kCount) == nullptr) set_variable(kCount, kPolls);
  set_variable(kThrottle, 1);
  end();
}

}  // namespace

void make_native_yield() {
  const auto open_mpi = symbol<bool (*)(bool)>("opal_progress_set_yield_when_idle");
  if (open_mpi == nullptr) return make_mpich_yield();
  if (std::getenv("OMPI_MCA_mpi_yield_when_idle") == nullptr) open_mpi(true);
}

}  // namespace stretto
