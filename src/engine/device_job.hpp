// May this job hand MPI buffers in a GPU's memory? What a rank knows of that when a communicator is
// attached; its ranks then agree (communicator.cpp, docs/decisions/0023-device-buffers.md).
#pragma once

#include <optional>

namespace stretto::device_job {

// STRETTO_DEVICE_BUFFERS; nothing where it is unset or auto.
[[nodiscard]] std::optional<bool> set();

// Does this rank see a sign of it?
[[nodiscard]] bool is_likely();

}  // namespace stretto::device_job
