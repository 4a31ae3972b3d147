#include "intercept/shared/call_path.hpp"

#include <link.h>
#include <unwind.h>

#include <bit>
#include <cstdint>

namespace stretto::intercept {
namespace {

constexpr std::size_t kMostFrames = 64;  // however deep libraries call each other

struct OwnCode {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool has(void* address) const {
    const auto at = std::bit_cast<std::uintptr_t>(address);
    return begin <= at && at < end;
  }
};

// The program's own file, which is the first; its libraries come after it.
int note_program(dl_phdr_info* object, std::size_t /*size*/, void* into) {
  auto& code = *static_cast<OwnCode*>(into);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    code.begin = object->dlpi_addr + segment.p_vaddr;
    code.end = code.begin + segment.p_memsz;
  }
  return 1;
}

const OwnCode& program() {
  static const OwnCode code = [] {
    OwnCode found;
    dl_iterate_phdr(note_program, &found);
    return found;
  }();
  return code;
}

struct Walk {
  void* caller;
  std::size_t wanted;  // above the call
  CallPath* path;
  bool is_above = false;

  [[nodiscard]] bool is_complete() const {
    const void* const last = path->empty() ? caller : path->back().caller;
    return path->size() >= kMostFrames ||
           (path->size() >= wanted && program().has(const_cast<void*>(last)));
  }
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* into) {
  auto& walk = *static_cast<Walk*>(into);
  void* const address = std::bit_cast<void*>(_Unwind_GetIP(context));
  if (address == nullptr) return _URC_END_OF_STACK;
  if (!walk.is_above) {
    walk.is_above = address == walk.caller;
  } else {
    walk.path->push_back({address, nullptr});
  }
  return walk.is_above && walk.is_complete() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

void find_path(void* caller, const PythonLine* line, int depth, CallPath& path) {
  path.clear();
  if (line != nullptr) {
    for (const PythonLine* const each : python_callers(depth - 1)) path.push_back({caller, each});
    return;
  }
  Walk walk{.caller = caller, .wanted = static_cast<std::size_t>(depth - 1), .path = &path};
  _Unwind_Backtrace(step, &walk);
  // Of a program that never comes up libraries' frames say no more than was asked for.
  const bool is_programs = !path.empty() && program().has(path.back().caller);
  if (!is_programs && path.size() > walk.wanted) path.resize(walk.wanted);
}

}  // namespace stretto::intercept
