#include "intercept/shared/python.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stretto::intercept {
namespace {

// What Python 3.11 and later have, in words of ours: this library is built without Python and
// serves programs without it.
using PythonObject = void;
struct Api {
  int (*Py_IsInitialized)() = nullptr;
  void* (*PyGILState_GetThisThreadState)() = nullptr;
  int (*PyGILState_Ensure)() = nullptr;
  void (*PyGILState_Release)(int) = nullptr;
  PythonObject* (*PyEval_GetFrame)() = nullptr;  // borrowed
  PythonObject* (*PyFrame_GetCode)(PythonObject*) = nullptr;
  PythonObject* (*PyFrame_GetBack)(PythonObject*) = nullptr;
  int (*PyFrame_GetLasti)(PythonObject*) = nullptr;
  int (*PyFrame_GetLineNumber)(PythonObject*) = nullptr;
  PythonObject* (*PyObject_GetAttrString)(PythonObject*, const char*) = nullptr;
  const char* (*PyUnicode_AsUTF8)(PythonObject*) = nullptr;
  void (*PyErr_Clear)() = nullptr;
  void (*Py_DecRef)(PythonObject*) = nullptr;
};
Api python;
bool is_found = false;

template <class Function>
bool find(const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

// Where a thread's state leads to the instruction its innermost frame is at, in bytes.
struct FrameLayout {
  unsigned long version;    // major and minor, as in Py_Version
  std::size_t frame;        // in the state, or in what is at `indirect` there
  std::size_t indirect;     // 0: nothing between
  std::size_t instruction;  // in the frame
  std::size_t code;         // the first instruction, in a code object
};
constexpr FrameLayout kLayouts[] = {
    {0x030b, 8, 56, 56, 184}, {0x030c, 0, 56, 56, 192}, {0x030d, 72, 0, 56, 200}};
const FrameLayout* layout = nullptr;  // of the Python here, where it is one of these

const FrameLayout* layout_here() {
  const auto* const version = static_cast<const unsigned long*>(dlsym(RTLD_DEFAULT, "Py_Version"));
  // Only Python without the interpreter's lock has this; its objects are other ones.
  if (version == nullptr || dlsym(RTLD_DEFAULT, "_Py_MergeZeroLocalRefcount") != nullptr) {
    return nullptr;
  }
  for (const FrameLayout& each : kLayouts) {
    if (each.version == *version >> 16) return &each;
  }
  return nullptr;
}

std::byte* at(std::byte* object, std::size_t offset) {
  return object == nullptr ? nullptr : *reinterpret_cast<std::byte**>(object + offset);
}

// This thread's, which stays where it is while the thread is in a call; nullptr where not known.
std::byte* instruction_of(void* state) {
  if (layout == nullptr) return nullptr;
  auto* from = static_cast<std::byte*>(state);
  if (layout->indirect != 0) from = at(from, layout->indirect);
  return at(at(from, layout->frame), layout->instruction);
}

// A place in Python's code. The code is kept alive, or its address might become another's.
struct CodePosition {
  PythonObject* code = nullptr;
  int instruction = 0;
  friend bool operator==(const CodePosition&, const CodePosition&) = default;
};
struct CodePositionHash {
  std::size_t operator()(const CodePosition& key) const {
    const auto instruction = static_cast<std::size_t>(static_cast<unsigned>(key.instruction));
    return (std::bit_cast<std::uintptr_t>(key.code) ^ (instruction << 32)) * 0x9e3779b97f4a7c15;
  }
};
using Lines = std::unordered_map<CodePosition, PythonLine, CodePositionHash>;

constexpr std::size_t kMostLines = 10'000;  // beyond them, lines that are new are not known

Lines& lines() {  // Of the main thread alone.
  static auto* const instance = new Lines;
  return *instance;
}

// The same by instructions: what is known is found without the interpreter's lock.
std::unordered_map<const std::byte*, const PythonLine*>& lines_at() {
  static auto* const instance = new std::unordered_map<const std::byte*, const PythonLine*>;
  return *instance;
}

bool is_main_thread() {
  // Each of the two is a system call.
  static thread_local const bool is_it [[gnu::tls_model("initial-exec")]] = gettid() == getpid();
  return is_it;
}

bool is_mpi4pys(void* address) {
  // Callers are few: most are where they were looked up last.
  struct Seen {
    void* caller = nullptr;
    bool is_mpi4pys = false;
  };
  static std::array<Seen, 256> all_seen;
  Seen& seen = all_seen[(std::bit_cast<std::uintptr_t>(address) >> 2) % all_seen.size()];
  if (seen.caller != address) {
    Dl_info object{};
    const bool is_known = dladdr(address, &object) != 0;
    const std::string_view path = is_known ? object.dli_fname : "";
    seen = {address, path.find("/mpi4py/MPI.") != std::string_view::npos};
  }
  return seen.is_mpi4pys;
}

std::string text_of(PythonObject* code, const char* attribute) {
  PythonObject* const value = python.PyObject_GetAttrString(code, attribute);
  const char* const text = value == nullptr ? nullptr : python.PyUnicode_AsUTF8(value);
  if (text == nullptr) python.PyErr_Clear();
  std::string copy = text == nullptr ? "" : text;
  if (value != nullptr) python.Py_DecRef(value);
  return copy;
}

const PythonLine* line_of(PythonObject* frame, const std::byte* instruction) {
  const CodePosition key{python.PyFrame_GetCode(frame), python.PyFrame_GetLasti(frame)};
  const auto found = lines().find(key);
  if (found != lines().end() || lines().size() >= kMostLines) {
    python.Py_DecRef(key.code);
    return found == lines().end() ? nullptr : &found->second;
  }
  const auto place =
      lines()
          .try_emplace(key, PythonLine{.file = text_of(key.code, "co_filename"),
                                       .function = text_of(key.code, "co_qualname"),
                                       .number = python.PyFrame_GetLineNumber(frame)})
          .first;
  const PythonLine* const known = &place->second;
  // Else it is not what it was taken for.
  const bool is_instruction =
      layout != nullptr &&
      instruction == static_cast<std::byte*>(key.code) + layout->code + key.instruction;
  if (is_instruction) lines_at().emplace(instruction, known);
  return known;
}

}  // namespace

void find_python() {
  // The ranks of a process find the same, and whoever comes first for all.
  static const bool found = [] {
    layout = layout_here();
    is_found = find("Py_IsInitialized", python.Py_IsInitialized) &&
               find("PyGILState_GetThisThreadState", python.PyGILState_GetThisThreadState) &&
               find("PyGILState_Ensure", python.PyGILState_Ensure) &&
               find("PyGILState_Release", python.PyGILState_Release) &&
               find("PyEval_GetFrame", python.PyEval_GetFrame) &&
               find("PyFrame_GetCode", python.PyFrame_GetCode) &&
               find("PyFrame_GetBack", python.PyFrame_GetBack) &&
               find("PyFrame_GetLasti", python.PyFrame_GetLasti) &&
               find("PyFrame_GetLineNumber", python.PyFrame_GetLineNumber) &&
               find("PyObject_GetAttrString", python.PyObject_GetAttrString) &&
               find("PyUnicode_AsUTF8", python.PyUnicode_AsUTF8) &&
               find("PyErr_Clear", python.PyErr_Clear) && find("Py_DecRef", python.Py_DecRef);
    return is_found;
  }();
  static_cast<void>(found);
}

// mpi4py gives the interpreter's lock up around its calls, and a frame may only be asked with it.
// Where other threads of Python's compute, to take it may last some milliseconds: that is done
// once for each place. mpi4py holds no lock of its own then and is about to take this one anyway,
// so nobody can wait for each other; that is not known of other extensions. A thread besides the
// main one would not come back from here when the interpreter ends.
const PythonLine* python_line(void* caller) {
  if (!is_found || !is_main_thread() || !is_mpi4pys(caller)) return nullptr;
  if (python.Py_IsInitialized() == 0) return nullptr;
  void* const thread_state = python.PyGILState_GetThisThreadState();
  if (thread_state == nullptr) return nullptr;
  const std::byte* const instruction = instruction_of(thread_state);
  if (const auto known = lines_at().find(instruction); known != lines_at().end()) {
    return known->second;
  }
  const int state = python.PyGILState_Ensure();
  PythonObject* const frame = python.PyEval_GetFrame();
  const PythonLine* const line = frame == nullptr ? nullptr : line_of(frame, instruction);
  python.PyGILState_Release(state);
  return line;
}

std::vector<const PythonLine*> python_callers(int most) {
  std::vector<const PythonLine*> found;
  const int state = python.PyGILState_Ensure();
  PythonObject* const own = python.PyEval_GetFrame();
  PythonObject* frame = own == nullptr ? nullptr : python.PyFrame_GetBack(own);
  while (frame != nullptr && most-- > 0) {
    const PythonLine* const line = line_of(frame, nullptr);
    if (line == nullptr) break;
    found.push_back(line);
    PythonObject* const back = python.PyFrame_GetBack(frame);
    python.Py_DecRef(frame);
    frame = back;
  }
  if (frame != nullptr) python.Py_DecRef(frame);
  python.PyGILState_Release(state);
  return found;
}

CodePlace place_of(void* caller, const PythonLine* line) {
  if (line == nullptr) return place_of(caller);
  return {.object = line->file,
          .offset = static_cast<unsigned long>(line->number),
          .symbol = line->function,
          .is_source = true};
}

}  // namespace stretto::intercept
