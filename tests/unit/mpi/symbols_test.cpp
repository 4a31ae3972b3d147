// What the MPI may have besides what MPI says.

#include <gtest/gtest.h>

#include <cstdlib>

#include "fake_mpi/entered.hpp"
#include "mpi/device_support.hpp"
#include "mpi/thread_level.hpp"
#include "mpi/yielding.hpp"
#include "settings.hpp"

namespace stretto {
namespace {

// While it lives the MPI has a function of that name.
class Has {
 public:
  template <class Function>
  Has(const char* name, Function* function) : name_(name) {
    fake_mpi::functions()[name] = reinterpret_cast<void*>(function);
  }
  ~Has() { fake_mpi::functions().erase(name_); }
  Has(const Has&) = delete;
  Has& operator=(const Has&) = delete;

 private:
  std::string name_;
};

int yes() { return 1; }
int no() { return 0; }
int of_type(int type, int* supported) {
  *supported = type == 1 ? 1 : 0;
  return MPI_SUCCESS;
}
int of_no_type(int /*type*/, int* supported) {
  *supported = 0;
  return MPI_SUCCESS;
}

TEST(DeviceSupport, IsUnknownOfAnMpiThatSaysNothing) {
  EXPECT_EQ(device_support(), DeviceSupport::unknown);
}

// Open MPI's no says nothing: it does not know what UCX takes.
TEST(DeviceSupport, OpenMpisYesCountsAndItsNoDoesNot) {
  const Has cuda("MPIX_Query_cuda_support", no);
  EXPECT_EQ(device_support(), DeviceSupport::unknown);
  const Has rocm("MPIX_Query_rocm_support", yes);
  EXPECT_EQ(device_support(), DeviceSupport::yes);
}

TEST(DeviceSupport, MpichsYesAndNoCount) {
  {
    const Has support("MPIX_GPU_query_support", of_type);
    EXPECT_EQ(device_support(), DeviceSupport::yes);
  }
  const Has support("MPIX_GPU_query_support", of_no_type);
  EXPECT_EQ(device_support(), DeviceSupport::no);
}

bool yields = false;
bool set_yield(bool on) {
  yields = on;
  return false;
}

TEST(Yielding, OpenMpiIsToldUnlessTheUserHasSaid) {
  const Has function("opal_progress_set_yield_when_idle", set_yield);
  yields = false;
  {
    const Setting said("OMPI_MCA_mpi_yield_when_idle", "0");
    make_native_yield();
    EXPECT_FALSE(yields);
  }
  make_native_yield();
  EXPECT_TRUE(yields);
}

// MPICH's tool interface, of two variables.
struct Variables {
  int throttle = 0;
  int count = 0;
  int handles = 0;
  int sessions = 0;
} variables;
int index_of(const char* name, int* index) {
  const std::string text = name;
  *index = text.ends_with("_COUNT") ? 1 : 0;
  return MPI_SUCCESS;
}
int allocate(int index, void* /*object*/, MPI_T_cvar_handle* handle, int* count) {
  ++variables.handles;
  *handle =
      reinterpret_cast<MPI_T_cvar_handle>(index == 0 ? &variables.throttle : &variables.count);
  *count = 1;
  return MPI_SUCCESS;
}
int write_variable(MPI_T_cvar_handle handle, const void* value) {
  *reinterpret_cast<int*>(handle) = *static_cast<const int*>(value);
  return MPI_SUCCESS;
}
int free_variable(MPI_T_cvar_handle* /*handle*/) {
  --variables.handles;
  return MPI_SUCCESS;
}
int begin_tools(int /*required*/, int* provided) {
  *provided = MPI_THREAD_MULTIPLE;
  ++variables.sessions;
  return MPI_SUCCESS;
}
int end_tools() {
  --variables.sessions;
  return MPI_SUCCESS;
}

TEST(Yielding, MpichIsToldByItsToolInterface) {
  variables = {};
  make_native_yield();  // without the interface nothing happens
  const Has begin("PMPI_T_init_thread", begin_tools);
  const Has end("PMPI_T_finalize", end_tools);
  make_native_yield();  // nor without its variables
  EXPECT_EQ(variables.sessions, 0);
  const Has index("PMPI_T_cvar_get_index", index_of);
  const Has allocated("PMPI_T_cvar_handle_alloc", allocate);
  const Has written("PMPI_T_cvar_write", write_variable);
  const Has freed("PMPI_T_cvar_handle_free", free_variable);
  {
    const Setting said("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "0");
    make_native_yield();
    EXPECT_EQ(variables.throttle, 0);
  }
  make_native_yield();
  EXPECT_EQ(variables.throttle, 1);
  EXPECT_EQ(variables.count, 100);
  EXPECT_EQ(variables.handles, 0);
  EXPECT_EQ(variables.sessions, 0);
}

TEST(ThreadLevel, IsTheMpisAndCanOnlyBeRelaxedWhereItHasASwitch) {
  for (const int level : {MPI_THREAD_MULTIPLE, MPI_THREAD_SERIALIZED}) {
    fake_mpi::Job job(1, {.thread_level = level});
    job.run([level](int /*rank*/) {
      ThreadLevel threads;
      threads.start(MPI_THREAD_SINGLE, Locks::switched);
      EXPECT_EQ(threads.multiple(), level == MPI_THREAD_MULTIPLE);
      EXPECT_FALSE(ThreadLevel::can_relax());
      EXPECT_FALSE(ThreadLevel::is_locked());
      threads.lock(true);
      threads.lock(false);
    });
  }
}

TEST(ThreadLevel, LocksAreTakenWhileTheyAreAskedForOrAlways) {
  fake_mpi::Job job(1, {.switches_locks = true});
  job.run([](int /*rank*/) {
    EXPECT_TRUE(ThreadLevel::can_relax());
    ThreadLevel threads;
    threads.start(MPI_THREAD_SERIALIZED, Locks::switched);
    EXPECT_FALSE(ThreadLevel::is_locked());
    threads.lock(true);
    EXPECT_TRUE(ThreadLevel::is_locked());
    threads.lock(false);
    EXPECT_FALSE(ThreadLevel::is_locked());
    *static_cast<bool*>(native_data("opal_uses_threads")) = true;  // the MPI's own threads begin
    threads.lock(true);
    threads.lock(false);
    EXPECT_TRUE(ThreadLevel::is_locked());
    threads.start(MPI_THREAD_SERIALIZED, Locks::switched);
    EXPECT_FALSE(ThreadLevel::is_locked());
    threads.start(MPI_THREAD_SERIALIZED, Locks::always);
    EXPECT_TRUE(ThreadLevel::is_locked());
    threads.start(MPI_THREAD_SERIALIZED, Locks::switched);
    threads.start(MPI_THREAD_MULTIPLE, Locks::switched);  // by whoever comes next
    EXPECT_TRUE(ThreadLevel::is_locked());
    threads.lock(false);
    EXPECT_TRUE(ThreadLevel::is_locked());
  });
}

}  // namespace
}  // namespace stretto
