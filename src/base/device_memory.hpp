// Memory that is not the host's: the runtimes of GPUs that this process has loaded know it.
#pragma once

namespace stretto::device_memory {

// Is one loaded by now? It may come at any time (mpi4py, then cupy), so the loader is asked each
// time, which takes 14 ns.
[[nodiscard]] bool has_runtime();

// Is what lies at `address` in a device's memory, so that the host must leave it alone? As the
// runtimes say that has_runtime() saw last.
[[nodiscard]] bool is_devices(const void* address);

// Is there a GPU on this host, of whatever make?
[[nodiscard]] bool has_device();

}  // namespace stretto::device_memory
