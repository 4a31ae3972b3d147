#include "intercept/shared/caller.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "intercept/shared/entry.hpp"

namespace stretto::intercept {
namespace {

// Where an object's code lies in memory.
struct AddressRange {
  std::uintptr_t begin;
  std::uintptr_t end;
};

// Of the MPI's Fortran bindings, of the MPI and of this library: never the program.
// Never destroyed: calls may come as late as exit().
struct CodeRanges {
  std::vector<AddressRange> bindings;
  std::vector<AddressRange> ours;
};
CodeRanges& ranges() {
  static auto* const instance = new CodeRanges;
  return *instance;
}

bool lies_in(const std::vector<AddressRange>& list, std::uintptr_t address) {
  return std::any_of(list.begin(), list.end(), [&](const AddressRange& range) {
    return range.begin <= address && address < range.end;
  });
}

int note_code(dl_phdr_info* object, std::size_t /*size*/, void* /*data*/) {
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool is_binding = is_language_binding(name);
  const auto here = reinterpret_cast<std::uintptr_t>(&note_code);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const AddressRange range{begin, begin + segment.p_memsz};
    if (is_binding) ranges().bindings.push_back(range);
    if (is_binding || is_part_of_mpi(name) || lies_in({range}, here)) {
      ranges().ours.push_back(range);
    }
  }
  return 0;
}

// Callers are few, and to look one up takes a microsecond: an address that is known, doubled, and
// one more where a tool's code is there.
bool is_tools(std::uintptr_t address) {
  static std::array<std::atomic<std::uintptr_t>, 256> all_known;
  auto& known = all_known[(address >> 2) % all_known.size()];
  std::uintptr_t it = known.load(std::memory_order_relaxed);
  if (it >> 1 != address) {
    it = address << 1 | (is_wrapper(std::bit_cast<void*>(address)) ? 1U : 0U);
    known.store(it, std::memory_order_relaxed);
  }
  return (it & 1) != 0;
}

_Unwind_Reason_Code until_program(_Unwind_Context* context, void* found) {
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || lies_in(ranges().ours, address) || is_tools(address)) return _URC_NO_REASON;
  *static_cast<std::uintptr_t*>(found) = address;
  return _URC_END_OF_STACK;
}

}  // namespace

void find_bindings() {
  // The ranks of a process find the same, and whoever comes first for all.
  static const int found = dl_iterate_phdr(note_code, nullptr);
  static_cast<void>(found);
}

void* caller_in_program(void* caller) {
  const auto address = std::bit_cast<std::uintptr_t>(caller);
  if (!lies_in(ranges().bindings, address) && !is_tools(address)) return caller;
  std::uintptr_t found = 0;
  _Unwind_Backtrace(until_program, &found);
  return found == 0 ? caller : std::bit_cast<void*>(found);
}

bool is_programs(void* address) {
  return !lies_in(ranges().ours, std::bit_cast<std::uintptr_t>(address));
}

CodePlace place_of(void* address) {
  Dl_info info{};
  // The call is before the address it returns to, which may begin another line or function.
  const std::uintptr_t call = std::bit_cast<std::uintptr_t>(address) - 1;
  link_map* map = nullptr;
  void** const into = reinterpret_cast<void**>(&map);
  if (dladdr1(std::bit_cast<void*>(call), &info, into, RTLD_DL_LINKMAP) == 0) return {};
  // The program itself is known as it was called, which may not lead to its file from here.
  const bool is_program = map != nullptr && map->l_name != nullptr && *map->l_name == '\0';
  const char* const name = info.dli_fname == nullptr ? "" : info.dli_fname;
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  return {.object = is_program && !none ? program.string() : name,
          .offset = call - (map == nullptr ? 0 : map->l_addr),
          .symbol = info.dli_sname == nullptr ? "" : info.dli_sname,
          .is_source = false};
}

}  // namespace stretto::intercept
