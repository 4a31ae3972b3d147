#include "bench/suite/reached.hpp"

#include <dlfcn.h>

#include <cctype>

namespace stretto::bench {

void* reached(const std::string& name) {
  if (void* const found = dlsym(RTLD_DEFAULT, ("MPI_" + name).c_str())) return found;
  return dlsym(RTLD_DEFAULT, ("MPIX_" + name).c_str());
}

std::string name_in_form(const std::string& function, CallForm form) {
  if (form == CallForm::blocking) return function;
  if (form == CallForm::persistent) return function + "_init";
  std::string name = "I" + function;
  name[1] = static_cast<char>(std::tolower(name[1]));
  return name;
}

}  // namespace stretto::bench
