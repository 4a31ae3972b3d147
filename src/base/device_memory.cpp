#include "base/device_memory.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/device_runtimes.hpp"

namespace stretto::device_memory {
namespace {

using Paths = std::array<std::string, kDeviceRuntimes>;

struct Runtimes {
  std::mutex mutex;
  std::atomic<std::uint64_t> loads{0};  // so many had the loader done at the last search
  std::atomic<bool> any{false};
  std::atomic<std::uint64_t> looked{0};  // when its count was last asked for
  std::array<std::atomic<const AsksForDevice*>, kDeviceRuntimes> asks{};
};

Runtimes& runtimes() {
  // Never destroyed: the program may call MPI in an exit handler.
  static auto* const instance = new Runtimes;
  return *instance;
}

// The loader counts what it has loaded, and says so with each object: the first will do.
std::uint64_t loads() {
  std::uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* to) {
        *static_cast<std::uint64_t*>(to) = object->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

int note_path(dl_phdr_info* object, std::size_t /*size*/, void* to) {
  const char* const path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  if (const auto runtime = device_runtime_of(path)) {
    (*static_cast<Paths*>(to))[static_cast<std::size_t>(*runtime)] = path;
  }
  return 0;
}

void find_runtimes(std::uint64_t now) {
  Runtimes& all = runtimes();
  const std::lock_guard lock(all.mutex);
  Paths paths;
  dl_iterate_phdr(note_path, &paths);
  for (std::size_t r = 0; r < paths.size(); ++r) {
    if (paths[r].empty() || all.asks[r] != nullptr) continue;
    // Stays open: what has a device open is not unloaded.
    void* const handle = dlopen(paths[r].c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) continue;
    AsksForDevice asks = asks_for_device(static_cast<DeviceRuntime>(r),
                                         [=](const char* name) { return dlsym(handle, name); });
    if (!asks) continue;
    all.asks[r] = new AsksForDevice(std::move(asks));
    all.any = true;
  }
  all.loads = now;
}

}  // namespace

bool has_runtime() {
  // To ask the loader takes half as long as a short collective. Who has loaded a runtime needs many
  // times as long as this pause until it has given him memory: it sets up a device first.
  constexpr std::uint64_t kPause = 1'000'000;  // ticks: a millisecond at most
  Runtimes& all = runtimes();
  const std::uint64_t now = now_ticks();
  if (now - all.looked.load(std::memory_order_acquire) >= kPause) {
    const std::uint64_t loaded = loads();
    if (loaded != all.loads.load(std::memory_order_acquire)) find_runtimes(loaded);
    // Then: until it has been searched other threads look, too.
    all.looked.store(now, std::memory_order_release);
  }
  return all.any.load(std::memory_order_acquire);
}

bool is_devices(const void* address) {
  for (const auto& each : runtimes().asks) {
    const AsksForDevice* const asks = each.load(std::memory_order_acquire);
    if (asks != nullptr && (*asks)(address)) return true;
  }
  return false;
}

bool has_device() {
  // NVIDIA's, its Tegra's, AMD's and any that the kernel's own drivers run (Intel's among them);
  // that of Windows under WSL.
  for (const char* node :
       {"/dev/nvidiactl", "/dev/nvhost-gpu", "/dev/kfd", "/dev/dri/renderD128", "/dev/dxg"}) {
    if (::access(node, F_OK) == 0) return true;
  }
  return false;
}

}  // namespace stretto::device_memory
