#include "intercept/shared/entry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>

#include "base/log.hpp"
#include "intercept/shared/this_rank.hpp"

namespace stretto::intercept {
namespace {

// The file's name alone.
std::string_view name_of(const Dl_info& object) {
  const std::string_view path = object.dli_fname == nullptr ? "" : object.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

// One of those that Stretto knows how to live with by itself.
bool is_ours(std::string_view file_name) { return file_name.starts_with("libstretto-"); }

void* tool_beneath(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  Dl_info object{};
  if (next == nullptr || dladdr(next, &object) == 0) return nullptr;
  const std::string_view file = name_of(object);
  return is_part_of_mpi(file) || is_ours(file) ? nullptr : next;
}

}  // namespace

void* existing_function(const char* name) {
  void* const address = native_symbol(name);
  if (address == nullptr) {
    refuse(5, "no MPI library with a %s is loaded in this program: run it without Stretto", name);
  }
  return address;
}

bool is_language_binding(std::string_view file_name) {
  constexpr std::string_view kBindings[] = {"libmpi_mpifh", "libmpi_usempi", "libmpi_cxx",
                                            "libmpifort",   "libmpicxx",     "libmpichfort",
                                            "libmpichcxx"};
  return std::any_of(std::begin(kBindings), std::end(kBindings),
                     [&](std::string_view binding) { return file_name.starts_with(binding); });
}

bool is_part_of_mpi(std::string_view file_name) {
  if (file_name.starts_with("libmpiP")) return false;  // mpiP, a tool
  return file_name.starts_with("libmpi") || file_name.starts_with("mca_") ||
         file_name.starts_with("libopen-");
}

bool is_the_mpis(void* address) {
  Dl_info object{};
  if (dladdr(address, &object) == 0) return false;
  const std::string_view name = name_of(object);
  return is_part_of_mpi(name) && !is_language_binding(name);
}

bool is_wrapper(void* address) {
  Dl_info object{};
  // The call is before the address it returns to, where another function may begin.
  const std::uintptr_t call = std::bit_cast<std::uintptr_t>(address) - 1;
  if (dladdr(std::bit_cast<void*>(call), &object) == 0) return false;
  const std::string_view file = name_of(object);
  const std::string_view symbol = object.dli_sname == nullptr ? "" : object.dli_sname;
  return !is_part_of_mpi(file) && !is_ours(file) && symbol.starts_with("MPI_");
}

Reached reach(const char* name, std::atomic<void*>* straight) {
  const Reached reached{name, existing_function((std::string("P") + name).c_str()),
                        tool_beneath(name)};
  if (straight != nullptr && reached.tool == nullptr) straight->store(reached.real);
  return reached;
}

Reached reach_persistent(const char* name) {
  return {name, native_collective(name + sizeof "MPI_" - 1), tool_beneath(name)};
}

void ToolCall::was_passed_by(const Reached& what) {
  const std::string_view name = what.name;
  if (name != "MPI_Init" && name != "MPI_Init_thread") return;
  Dl_info tool{};
  if (!speaks_for_all() || dladdr(what.tool, &tool) == 0) return;
  say("%s calls the MPI past Stretto, which therefore does nothing: preload it before Stretto",
      tool.dli_fname);
}

}  // namespace stretto::intercept
