#include "base/device_runtimes.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace stretto {
namespace {

std::array<char, 4> memory{};
const void* const kHost = &memory[0];
const void* const kDevice = &memory[1];
const void* const kShared = &memory[2];  // managed, or pinned
const void* const kOther = &memory[3];   // which only this runtime has: locked, reserved

template <class Function>
void* code(Function* function) {
  return reinterpret_cast<void*>(function);
}

bool is(std::uint64_t pointer, const void* place) {
  return pointer == reinterpret_cast<std::uintptr_t>(place);
}

int cuda_attribute(void* value, int attribute, std::uint64_t pointer) {
  if (is(pointer, kHost)) return 1;
  const bool shared = is(pointer, kShared);
  const unsigned answer = attribute == 8 ? (shared ? 1 : 0) : 2;
  std::memcpy(value, &answer, sizeof answer);
  return 0;
}

struct Agent {
  std::uint64_t handle;
};
struct PointerInfo {
  std::uint32_t size, type;
  void *agent_base, *host_base;
  std::size_t bytes;
  void* user_data;
  Agent owner;
};

int hsa_info(const void* pointer, PointerInfo* info, void* /*allocate*/, void*, void*) {
  if (info->size < sizeof *info) return 1;
  info->type = pointer == kHost ? 0 : pointer == kOther ? 2 : 1;
  info->owner.handle = pointer == kShared ? 7 : 8;
  return 0;
}

int hsa_agent(Agent agent, int attribute, void* value) {
  const unsigned kind = agent.handle == 8 ? 1 : 0;
  if (attribute == 17) std::memcpy(value, &kind, sizeof kind);
  return attribute == 17 ? 0 : 1;
}

int drivers = 2;
int contexts = 0;
int ze_init(std::uint32_t /*flags*/) { return drivers > 0 ? 0 : 1; }
int ze_drivers(std::uint32_t* count, void** all) {
  *count = static_cast<std::uint32_t>(drivers);
  for (int i = 0; i < drivers; ++i) all[i] = &drivers;
  return 0;
}
int ze_context(void* /*driver*/, const int* type, void** context) {
  *context = &memory[static_cast<std::size_t>(contexts++)];
  return *type == 0xd ? 0 : 1;
}
struct Properties {
  int structure;
  void* next;
  int type;
};
int ze_properties(void* context, const void* pointer, Properties* properties, void** /*device*/) {
  // The second driver's memory, of which the first knows nothing.
  properties->type = context != &memory[1] ? 0
                     : pointer == kDevice  ? 2
                     : pointer == kShared  ? 3
                                           : 0;
  return properties->structure == 0x17 ? 0 : 1;
}

void* find(const char* name) {
  const std::string_view wanted = name;
  if (wanted == "cuPointerGetAttribute") return code(cuda_attribute);
  if (wanted == "hsa_amd_pointer_info") return code(hsa_info);
  if (wanted == "hsa_agent_get_info") return code(hsa_agent);
  if (wanted == "zeInit") return code(ze_init);
  if (wanted == "zeDriverGet") return code(ze_drivers);
  if (wanted == "zeContextCreate") return code(ze_context);
  if (wanted == "zeMemGetAllocProperties") return code(ze_properties);
  return nullptr;
}

TEST(DeviceRuntimes, AreKnownByTheirFiles) {
  EXPECT_EQ(device_runtime_of("/usr/lib/x86_64-linux-gnu/libcuda.so.1"), DeviceRuntime::cuda);
  EXPECT_EQ(device_runtime_of("/usr/lib/libcuda.so.535.104.05"), DeviceRuntime::cuda);
  EXPECT_EQ(device_runtime_of("libcuda.so"), DeviceRuntime::cuda);
  EXPECT_EQ(device_runtime_of("/opt/rocm-6.2.0/lib/libhsa-runtime64.so.1"), DeviceRuntime::hsa);
  EXPECT_EQ(device_runtime_of("/lib/libze_loader.so.1.17.0"), DeviceRuntime::level_zero);
}

TEST(DeviceRuntimes, OthersAreNone) {
  for (const char* path : {"", "/usr/lib/libcudart.so.12", "/libcuda.so/libmpi.so.40",
                           "/opt/libcuda-wrapper.so", "/lib/libze_tracing_layer.so.1"}) {
    EXPECT_EQ(device_runtime_of(path), std::nullopt) << path;
  }
}

TEST(DeviceRuntimes, OnlyADevicesOwnMemoryIsNotTheHosts) {
  contexts = 0;
  for (int r = 0; r < kDeviceRuntimes; ++r) {
    const AsksForDevice is_devices = asks_for_device(static_cast<DeviceRuntime>(r), find);
    ASSERT_TRUE(is_devices);
    EXPECT_TRUE(is_devices(kDevice)) << r;
    EXPECT_FALSE(is_devices(kHost)) << r;
    EXPECT_FALSE(is_devices(kShared)) << r;
  }
  EXPECT_FALSE(asks_for_device(DeviceRuntime::hsa, find)(kOther));
}

TEST(DeviceRuntimes, WithoutTheirFunctionsAnswerNothing) {
  const auto has_none = [](const char*) -> void* { return nullptr; };
  for (int r = 0; r < kDeviceRuntimes; ++r) {
    EXPECT_FALSE(asks_for_device(static_cast<DeviceRuntime>(r), has_none)) << r;
  }
}

TEST(DeviceRuntimes, ThatHaveNoDeviceHaveNoMemory) {
  drivers = 0;
  EXPECT_FALSE(asks_for_device(DeviceRuntime::level_zero, find)(kDevice));
  drivers = 2;
}

}  // namespace
}  // namespace stretto
