#include "topology/core_complex.hpp"

#include <charconv>

#include "base/file.hpp"
#include "base/lines.hpp"

namespace stretto {
namespace {

constexpr int kMostCaches = 16;  // that a core sees

// Takes a number from the front of the text.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return {};
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

bool take(char letter, std::string_view& text) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::string> first_line(const std::string& path) {
  const auto content = read_file(path);
  if (!content || content->empty()) return {};
  std::string_view text = *content;
  return std::string(take_line(text));
}

// The cores that share this core's last cache, it included.
std::optional<CoreSet> complex_around(int core, const std::string& sysfs) {
  const std::string caches = sysfs + "/devices/system/cpu/cpu" + std::to_string(core) + "/cache/";
  int highest = 0;
  std::optional<std::string> sharing;
  for (int i = 0; i < kMostCaches; ++i) {
    const std::string cache = caches + "index" + std::to_string(i);
    const auto level_text = first_line(cache + "/level");
    if (!level_text) break;
    std::string_view text = *level_text;
    const auto level = take_number(text);
    if (!level || !text.empty()) return {};
    if (*level <= highest || first_line(cache + "/type") == "Instruction") continue;
    highest = *level;
    sharing = first_line(cache + "/shared_cpu_list");
  }
  return sharing ? read_cpu_list(*sharing) : std::nullopt;
}

// The cores of this core's package. Linux before 4.20 has the list under another name.
std::optional<CoreSet> socket_around(int core, const std::string& sysfs) {
  const std::string topology =
      sysfs + "/devices/system/cpu/cpu" + std::to_string(core) + "/topology/";
  for (const char* const name : {"package_cpus_list", "core_siblings_list"}) {
    if (const auto list = first_line(topology + name)) return read_cpu_list(*list);
  }
  return {};
}

int lowest(const CoreSet& set) {
  std::size_t core = 0;
  while (!set[core]) ++core;
  return static_cast<int>(core);
}

template <class Around>
int group_of(const CoreSet& cores, const std::string& sysfs, const Around& around) {
  if (cores.none()) return kNoComplex;
  const std::optional<CoreSet> group = around(lowest(cores), sysfs);
  return group && (cores & *group) == cores ? lowest(*group) : kNoComplex;
}

}  // namespace

std::optional<CoreSet> read_cpu_list(std::string_view text) {
  CoreSet cores;
  do {
    const auto first = take_number(text);
    const auto last = take('-', text) ? take_number(text) : first;
    if (!first || !last || *last < *first || *last >= static_cast<int>(kMostCores)) return {};
    for (int core = *first; core <= *last; ++core) cores.set(static_cast<std::size_t>(core));
  } while (take(',', text));
  if (!text.empty()) return {};
  return cores;
}

int core_complex_of(const CoreSet& cores, const std::string& sysfs) {
  return group_of(cores, sysfs, complex_around);
}

int socket_of(const CoreSet& cores, const std::string& sysfs) {
  return group_of(cores, sysfs, socket_around);
}

}  // namespace stretto
