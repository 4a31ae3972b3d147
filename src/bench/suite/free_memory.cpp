#include "bench/suite/free_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>

#include "base/file.hpp"
#include "base/lines.hpp"
#include "base/words.hpp"

namespace stretto::bench {
namespace {

// The number after a name, of a text with a name and a number a line.
std::optional<std::int64_t> number_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    WordReader words(take_line(text));
    std::int64_t number = 0;
    if (words.word() == name && words.read(number)) return number;
  }
  return {};
}

// A file that has a number alone; nothing, too, where it is "max".
std::optional<std::int64_t> number_at(const std::string& path) {
  std::int64_t number = 0;
  const auto text = read_file(path);
  if (!text || !WordReader(*text).read(number)) return {};
  return number;
}

// What files of a control group are called, in the two versions of Linux.
struct GroupFiles {
  const char* folder;  // where groups with memory are
  const char* limit;
  const char* usage;
  std::array<std::string_view, 2> caches;  // in memory.stat
};
constexpr GroupFiles kFirst{.folder = "/sys/fs/cgroup/memory",
                            .limit = "/memory.limit_in_bytes",
                            .usage = "/memory.usage_in_bytes",
                            .caches = {"total_inactive_file", "total_active_file"}};
constexpr GroupFiles kSecond{.folder = "/sys/fs/cgroup",
                             .limit = "/memory.max",
                             .usage = "/memory.current",
                             .caches = {"inactive_file", "active_file"}};

std::int64_t free_in(const std::string& folder, const GroupFiles& files) {
  const auto limit = number_at(folder + files.limit);
  const auto usage = number_at(folder + files.usage);
  if (!limit || !usage) return FreeMemory::kUnknown;
  const std::string stat = read_file(folder + "/memory.stat").value_or("");
  std::int64_t used = *usage;
  for (const std::string_view cache : files.caches) used -= number_of(stat, cache).value_or(0);
  return std::max<std::int64_t>(*limit - std::max<std::int64_t>(used, 0), 0);
}

// A group has no more than those that it is in.
std::int64_t free_up_to_root(const std::string& root, std::string path, const GroupFiles& files) {
  std::int64_t least = FreeMemory::kUnknown;
  for (;;) {
    least = std::min(least, free_in(words(root, files.folder, path), files));
    if (path.empty()) return least;
    path.resize(std::min(path.rfind('/'), path.size() - 1));
  }
}

}  // namespace

FreeMemory free_memory(const std::string& root) {
  FreeMemory found;
  const std::string machine = read_file(root + "/proc/meminfo").value_or("");
  if (const auto kib = number_of(machine, "MemAvailable:")) found.machine = *kib * 1024;
  // A line is NUMBER:CONTROLLERS:PATH, of the second version without controllers.
  const std::string groups = read_file(root + "/proc/self/cgroup").value_or("");
  for (std::string_view rest = groups; !rest.empty();) {
    std::string_view line = take_line(rest);
    line.remove_prefix(std::min(line.find(':'), line.size() - 1) + 1);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(0, colon);
    const std::string path(line.substr(colon + 1));
    if (controllers == "memory") {
      found.group = std::min(found.group, free_up_to_root(root, path, kFirst));
    } else if (controllers.empty()) {
      found.group = std::min(found.group, free_up_to_root(root, path, kSecond));
    }
  }
  return found;
}

std::int64_t with_margin(std::int64_t buffer_bytes) { return buffer_bytes + buffer_bytes / 2; }

std::string shortage(double needed, double free) {
  constexpr double gib = 1 << 30;
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "needs %.1f GiB of %.1f GiB", needed / gib, free / gib);
  return text.data();
}

}  // namespace stretto::bench
