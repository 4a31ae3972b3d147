// Does the MPI take buffers in a GPU's memory?
#pragma once

#include <cstdint>

namespace stretto {

enum class DeviceSupport : std::uint8_t { no, unknown, yes };

// What the MPI says of itself, once it is initialized. Only where native_available().
[[nodiscard]] DeviceSupport device_support();

}  // namespace stretto
