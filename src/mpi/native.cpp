#include "mpi/native.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string_view>

#include "base/log.hpp"

namespace stretto {
namespace {

struct Interface {
  std::string_view soname;
  std::string_view abi;
};

// Intel MPI has MPICH's soname; Debian's MPICH has one of its own.
constexpr std::array<Interface, 4> kInterfaces{{{"libmpi.so.40", "openmpi"},
                                                {"libmpi.so.12", "mpich"},
                                                {"libmpich.so.12", "mpich"},
                                                {"libmpi_abi.so.1", "mpiabi"}}};

struct Loaded {
  std::string path;
  Interface interface;
  void* handle = nullptr;
};

bool has_soname(std::string_view path, std::string_view soname) {
  const std::size_t slash = path.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  // The path may be the real file behind the soname: libmpi.so.40.30.4.
  return file == soname || (file.starts_with(soname) && file[soname.size()] == '.');
}

int consider(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& found = *static_cast<Loaded*>(data);
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  for (const Interface& interface : kInterfaces) {
    // Of two MPIs in one process the first is the program's, as the loader binds its calls to
    // it; the other came with a plugin, or is what the first one is built on.
    if (found.path.empty() && has_soname(path, interface.soname)) {
      found.path = path;
      found.interface = interface;
    }
  }
  return 0;
}

const Loaded* find_loaded() {
  static std::atomic<const Loaded*> known{nullptr};
  if (const Loaded* loaded = known.load(std::memory_order_acquire)) return loaded;

  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const Loaded* loaded = known.load(std::memory_order_acquire)) return loaded;
  Loaded found;
  dl_iterate_phdr(consider, &found);
  if (found.path.empty()) return nullptr;
  found.handle = dlopen(found.path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (found.handle == nullptr) return nullptr;
  known.store(new Loaded(found), std::memory_order_release);
  return known.load(std::memory_order_relaxed);
}

template <class Function>
void read_function(const Loaded& mpi, const char* name, Function& function) {
  void* address = dlsym(mpi.handle, name);
  if (address == nullptr) refuse(5, "%s has no %s", mpi.path.c_str(), name);
  function = reinterpret_cast<Function>(address);
}

// Data of the MPI's. A program that names it may hold the copy everybody uses (a copy
// relocation), so the search begins there and not at the library.
void* find_data(const Loaded& mpi, const char* name) {
  void* const address = dlsym(RTLD_DEFAULT, name);
  return address != nullptr ? address : dlsym(mpi.handle, name);
}

#if defined(OMPI_MAJOR_VERSION)
template <class Handle>
void read_handle(const Loaded& mpi, const char* name, Handle& handle) {
  void* address = find_data(mpi, name);
  if (address == nullptr) refuse(5, "%s has no %s", mpi.path.c_str(), name);
  handle = static_cast<Handle>(address);
}
#endif

Native read(const Loaded& mpi) {
  Native table;
#define STRETTO_READ(name) read_function(mpi, "PMPI_" #name, table.name);
  STRETTO_NATIVE_FUNCTIONS(STRETTO_READ)
#undef STRETTO_READ

#if defined(OMPI_MAJOR_VERSION)
#define STRETTO_READ(type, name, constant, symbol) read_handle(mpi, #symbol, table.name);
  STRETTO_NATIVE_HANDLES(STRETTO_READ)
#undef STRETTO_READ
  std::size_t next = 0;
#define STRETTO_READ(constant, symbol) \
  read_handle(mpi, "ompi_mpi_op_" #symbol, table.predefined_ops[next++]);
  STRETTO_PREDEFINED_OPS(STRETTO_READ)
#undef STRETTO_READ
  next = 0;
#define STRETTO_READ(constant, symbol) \
  read_handle(mpi, "ompi_mpi_" #symbol, table.integer_types[next++]);
  STRETTO_INTEGER_TYPES(STRETTO_READ)
#undef STRETTO_READ
  next = 0;
// Without one its sums are the MPI's.
#define STRETTO_READ(constant, symbol, bytes, numbers)                                            \
  table.floating_types[next++] = {static_cast<MPI_Datatype>(find_data(mpi, "ompi_mpi_" #symbol)), \
                                  bytes, numbers};
  STRETTO_FLOATING_TYPES(STRETTO_READ)
#undef STRETTO_READ
#else
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
#endif
  return table;
}

}  // namespace

bool native_available() {
  const Loaded* mpi = find_loaded();
  return mpi != nullptr && mpi->interface.abi == STRETTO_ABI;
}

const Native& native() {
  static const Native table = read(*find_loaded());
  return table;
}

void* native_symbol(const char* name) {
  const Loaded* mpi = find_loaded();
  return mpi == nullptr ? nullptr : dlsym(mpi->handle, name);
}

void* native_collective(const char* name) {
  void* const address = native_symbol(("PMPI_" + std::string(name)).c_str());
  return address != nullptr ? address : native_symbol(("PMPIX_" + std::string(name)).c_str());
}

void* native_data(const char* name) {
  const Loaded* mpi = find_loaded();
  return mpi == nullptr ? nullptr : find_data(*mpi, name);
}

std::string native_version() {
  // Of any interface: no MPI writes more.
  std::array<char, 8192> text{};
  static_assert(text.size() >= MPI_MAX_LIBRARY_VERSION_STRING);
  int length = 0;
  void* const function = native_symbol("PMPI_Get_library_version");
  if (function == nullptr) return {};
  reinterpret_cast<int (*)(char*, int*)>(function)(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  std::string version = all.substr(0, all.find('\n'));
  std::erase_if(version, [](char c) { return c < ' '; });
  return version;
}

int native_world_size() {
  const Loaded* mpi = find_loaded();
  void* const function = native_symbol("PMPI_Comm_size");
  if (mpi == nullptr || function == nullptr) return 0;
  int size = 0;
  if (mpi->interface.abi == "mpich") {
    constexpr int kWorld = 0x44000000;
    reinterpret_cast<int (*)(int, int*)>(function)(kWorld, &size);
    return size;
  }
  // An address of data, or a small number.
  void* const world = mpi->interface.abi == "openmpi" ? find_data(*mpi, "ompi_mpi_comm_world")
                                                      : reinterpret_cast<void*>(0x101);
  if (world != nullptr) reinterpret_cast<int (*)(void*, int*)>(function)(world, &size);
  return size;
}

std::string native_soname() {
  const Loaded* mpi = find_loaded();
  return mpi == nullptr ? std::string() : std::string(mpi->interface.soname);
}

}  // namespace stretto
