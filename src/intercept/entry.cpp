#include "intercept/entry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>

#include "base/log.hpp"

namespace stretto::intercept {

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
  return file_name.starts_with("libmpi") || file_name.starts_with("mca_") ||
         file_name.starts_with("libopen-");
}

bool is_the_mpis(void* address) {
  Dl_info object{};
  if (dladdr(address, &object) == 0) return false;
  const std::string_view path = object.dli_fname;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return is_part_of_mpi(name) && !is_language_binding(name);
}

}  // namespace stretto::intercept
