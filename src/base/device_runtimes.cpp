#include "base/device_runtimes.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace stretto {
namespace {

template <class Function>
Function as(void* address) {
  return reinterpret_cast<Function>(address);
}

// Memory the runtime does not know is an error of the question's, as is a runtime that nobody has
// initialized: that is the host's.
AsksForDevice asks_cuda(const FindFunction& find) {
  using GetAttribute = int (*)(void* value, int attribute, std::uint64_t pointer);
  const auto get = as<GetAttribute>(find("cuPointerGetAttribute"));
  if (get == nullptr) return {};
  return [get](const void* address) {
    constexpr int kMemoryType = 2, kIsManaged = 8;  // CU_POINTER_ATTRIBUTE_*
    constexpr unsigned kDevice = 2;                 // CU_MEMORYTYPE_DEVICE
    const std::uint64_t pointer = reinterpret_cast<std::uintptr_t>(address);
    unsigned type = 0;
    if (get(&type, kMemoryType, pointer) != 0 || type != kDevice) return false;
    unsigned managed = 0;
    return get(&managed, kIsManaged, pointer) != 0 || managed == 0;
  };
}

// HIP's own attributes mean different things in ROCm 5 and 6; these have stayed.
AsksForDevice asks_hsa(const FindFunction& find) {
  struct Agent {
    std::uint64_t handle = 0;
  };
  struct PointerInfo {  // as of 1.0; a runtime that has a longer one fills what fits
    std::uint32_t size = sizeof(PointerInfo);
    std::uint32_t type = 0;
    void* agent_base = nullptr;
    void* host_base = nullptr;
    std::size_t bytes = 0;
    void* user_data = nullptr;
    Agent owner;
  };
  using GetPointerInfo =
      int (*)(const void* pointer, PointerInfo* info, void* (*allocate)(std::size_t),
              std::uint32_t* accessible, Agent** agents);
  using GetAgentInfo = int (*)(Agent agent, int attribute, void* value);
  const auto pointer_info = as<GetPointerInfo>(find("hsa_amd_pointer_info"));
  const auto agent_info = as<GetAgentInfo>(find("hsa_agent_get_info"));
  if (pointer_info == nullptr || agent_info == nullptr) return {};
  return [=](const void* address) {
    constexpr unsigned kUnknown = 0, kLocked = 2;  // HSA_EXT_POINTER_TYPE_*; locked: the host's
    constexpr int kDevice = 17;                    // HSA_AGENT_INFO_DEVICE
    constexpr unsigned kCpu = 0;                   // HSA_DEVICE_TYPE_CPU
    PointerInfo info;
    if (pointer_info(address, &info, nullptr, nullptr, nullptr) != 0) return false;
    if (info.type == kUnknown || info.type == kLocked) return false;
    unsigned kind = kCpu;
    return agent_info(info.owner, kDevice, &kind) == 0 && kind != kCpu;
  };
}

// It answers for a context. Its driver knows the memory of all contexts by any of them, which MPIs
// that use it (Open MPI, yaksa) rely on, too.
class LevelZero {
 public:
  explicit LevelZero(const FindFunction& find)
      : init_(as<Init>(find("zeInit"))),
        get_drivers_(as<GetDrivers>(find("zeDriverGet"))),
        create_context_(as<CreateContext>(find("zeContextCreate"))),
        get_properties_(as<GetProperties>(find("zeMemGetAllocProperties"))) {}

  [[nodiscard]] bool is_whole() const {
    return init_ != nullptr && get_drivers_ != nullptr && create_context_ != nullptr &&
           get_properties_ != nullptr;
  }

  bool is_devices(const void* address) {
    // Not before anybody asks: until then the program may set what zeInit reads.
    std::call_once(opened_, [this] { open(); });
    for (void* const context : contexts_) {
      Properties properties;
      void* device = nullptr;
      if (get_properties_(context, address, &properties, &device) != 0) continue;
      if (properties.type == kDevice) return true;
    }
    return false;
  }

 private:
  struct ContextDescription {
    int type = 0xd;  // ZE_STRUCTURE_TYPE_CONTEXT_DESC
    const void* next = nullptr;
    std::uint32_t flags = 0;
  };
  struct Properties {
    int structure = 0x17;  // ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES
    void* next = nullptr;
    int type = 0;
    std::uint64_t id = 0;
    std::uint64_t page_bytes = 0;
  };
  static constexpr int kDevice = 2;  // ZE_MEMORY_TYPE_DEVICE
  using Init = int (*)(std::uint32_t flags);
  using GetDrivers = int (*)(std::uint32_t* count, void** drivers);
  using CreateContext = int (*)(void* driver, const ContextDescription* wanted, void** context);
  using GetProperties = int (*)(void* context, const void* address, Properties* properties,
                                void** device);

  void open() {
    std::array<void*, 16> drivers{};
    std::uint32_t count = drivers.size();
    if (init_(0) != 0 || get_drivers_(&count, drivers.data()) != 0) return;
    for (std::uint32_t i = 0; i < count && i < drivers.size(); ++i) {
      const ContextDescription wanted;
      void* context = nullptr;
      if (create_context_(drivers[i], &wanted, &context) == 0) contexts_.push_back(context);
    }
  }

  Init init_;
  GetDrivers get_drivers_;
  CreateContext create_context_;
  GetProperties get_properties_;
  std::once_flag opened_;
  std::vector<void*> contexts_;
};

AsksForDevice asks_level_zero(const FindFunction& find) {
  const auto runtime = std::make_shared<LevelZero>(find);
  if (!runtime->is_whole()) return {};
  return [runtime](const void* address) { return runtime->is_devices(address); };
}

}  // namespace

std::optional<DeviceRuntime> device_runtime_of(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1: all of it
  if (file.starts_with("libcuda.so")) return DeviceRuntime::cuda;
  if (file.starts_with("libhsa-runtime64.so")) return DeviceRuntime::hsa;
  if (file.starts_with("libze_loader.so")) return DeviceRuntime::level_zero;
  return std::nullopt;
}

AsksForDevice asks_for_device(DeviceRuntime runtime, const FindFunction& find) {
  switch (runtime) {
    case DeviceRuntime::cuda:
      return asks_cuda(find);
    case DeviceRuntime::hsa:
      return asks_hsa(find);
    case DeviceRuntime::level_zero:
      break;
  }
  return asks_level_zero(find);
}

}  // namespace stretto
