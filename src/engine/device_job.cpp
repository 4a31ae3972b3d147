#include "engine/device_job.hpp"

#include "base/config.hpp"
#include "base/device_memory.hpp"
#include "mpi/device_support.hpp"

namespace stretto::device_job {
namespace {

std::optional<bool> read() {
  constexpr const char* kName = "STRETTO_DEVICE_BUFFERS";
  if (setting(kName) == "auto") return std::nullopt;
  return switch_setting(kName);
}

}  // namespace

std::optional<bool> set() {
  static const std::optional<bool> value = read();
  return value;
}

bool is_likely() {
  if (const std::optional<bool> said = set()) return *said;
  switch (device_support()) {
    case DeviceSupport::no:
      return false;
    case DeviceSupport::yes:
      // Clusters have one MPI for all their nodes, which may have been built for GPUs that only
      // some have.
      return device_memory::has_runtime() || device_memory::has_device();
    case DeviceSupport::unknown:
      break;
  }
  // An MPI that takes such buffers has loaded the runtime when it is initialized.
  return device_memory::has_runtime();
}

}  // namespace stretto::device_job
