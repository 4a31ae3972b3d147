#include "intercept/profile/caller.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stretto::intercept::profile {
namespace {

// Where an object's code lies in memory.
struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
};

// Of the MPI's Fortran bindings, of the MPI and of this library: never the program.
std::vector<Range> bindings;
std::vector<Range> ours;

bool lies_in(const std::vector<Range>& ranges, std::uintptr_t address) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return range.begin <= address && address < range.end;
  });
}

int look_at(dl_phdr_info* object, std::size_t /*size*/, void* /*data*/) {
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool is_binding = name.starts_with("libmpi_mpifh") || name.starts_with("libmpi_usempi") ||
                          name.starts_with("libmpifort");
  const auto here = reinterpret_cast<std::uintptr_t>(&look_at);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const Range range{begin, begin + segment.p_memsz};
    if (is_binding) bindings.push_back(range);
    if (is_binding || name.starts_with("libmpi") || lies_in({range}, here)) ours.push_back(range);
  }
  return 0;
}

_Unwind_Reason_Code until_program(_Unwind_Context* context, void* found) {
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || lies_in(ours, address)) return _URC_NO_REASON;
  *static_cast<std::uintptr_t*>(found) = address;
  return _URC_END_OF_STACK;
}

}  // namespace

void find_bindings() { dl_iterate_phdr(look_at, nullptr); }

void* caller_in_program(void* caller) {
  if (!lies_in(bindings, std::bit_cast<std::uintptr_t>(caller))) return caller;
  std::uintptr_t found = 0;
  _Unwind_Backtrace(until_program, &found);
  return found == 0 ? caller : std::bit_cast<void*>(found);
}

CodePlace place_of(void* address) {
  Dl_info info{};
  // The call is before the address it returns to, which may begin another line or function.
  const std::uintptr_t call = std::bit_cast<std::uintptr_t>(address) - 1;
  link_map* map = nullptr;
  void** const into = reinterpret_cast<void**>(&map);
  if (dladdr1(std::bit_cast<void*>(call), &info, into, RTLD_DL_LINKMAP) == 0) return {};
  return {.object = info.dli_fname == nullptr ? "" : info.dli_fname,
          .offset = call - (map == nullptr ? 0 : map->l_addr),
          .symbol = info.dli_sname == nullptr ? "" : info.dli_sname};
}

}  // namespace stretto::intercept::profile
