// The runtimes of GPUs, and how each is asked whose memory an address is in. Nothing of theirs is
// linked or included: what is called is found where the program has loaded it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace stretto {

enum class DeviceRuntime : std::uint8_t { cuda, hsa, level_zero };
inline constexpr int kDeviceRuntimes = 3;

// Which of them the library at `path` is. HIP and OpenMP on AMD's GPUs are both built on HSA.
[[nodiscard]] std::optional<DeviceRuntime> device_runtime_of(std::string_view path);

// Finds a function of the runtime's; nullptr where it has none of that name.
using FindFunction = std::function<void*(const char* name)>;
// Is the memory at `address` a device's, and not to be accessed by the host? Memory that host and
// device share (managed, pinned) is the host's as well, and counts as that.
using AsksForDevice = std::function<bool(const void* address)>;

// Empty where the runtime has not the functions this takes.
[[nodiscard]] AsksForDevice asks_for_device(DeviceRuntime runtime, const FindFunction& find);

}  // namespace stretto
