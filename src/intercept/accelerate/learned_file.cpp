#include "intercept/accelerate/learned_file.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/learning.hpp"
#include "base/config.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/rank_context.hpp"
#include "base/version.hpp"
#include "engine/engine.hpp"

namespace stretto::intercept::accelerate::learned_file {
namespace {

constexpr const char* kSetting = "STRETTO_LEARN_FILE";

// Of rank 0: as it was at the start, since the program may change its folder.
struct LearnedPlace {
  std::string path;
};

// The first of the kernel's lines "name : value"; empty where there is none.
std::string value_of(std::string_view name, const std::string& lines) {
  const std::size_t at = lines.find(name);
  if (at == std::string::npos) return {};
  const std::size_t begin = lines.find(": ", at);
  const std::size_t end = lines.find('\n', at);
  if (begin >= end) return {};
  return lines.substr(begin + 2, end - begin - 2);
}

// What the kernel calls this machine's processors; on ARM it knows numbers only.
std::string processor() {
  const std::string lines = read_file("/proc/cpuinfo").value_or("");
  std::string name = value_of("model name", lines);
  if (!name.empty()) return name;
  return value_of("CPU implementer", lines) + ' ' + value_of("CPU part", lines);
}

std::string line(const char* key, std::string value) {
  for (char& each : value) {
    const bool is_special = each == '"' || each == '\\' || static_cast<unsigned char>(each) < ' ';
    if (is_special) each = ' ';
  }
  return key + (" = \"" + value + "\"\n");
}

// Where times of this run hold.
std::string fingerprint(const Communicator& world) {
  const Engine& engine = Engine::get();
  return line("stretto", STRETTO_VERSION) + line("mpi", native_version()) +
         line("processor", processor()) +
         line("cores", std::to_string(::sysconf(_SC_NPROCESSORS_ONLN))) +
         line("ranks", std::to_string(world.size)) +
         line("hosts", std::to_string(world.around.hosts)) +
         line("order", world.around.in_blocks ? "host by host" : "round the hosts") +
         line("more_ranks_than_cores", engine.oversubscribed() ? "yes" : "no");
}

// Of rank 0; empty where nothing of it is to be used.
std::string usable_text(const Communicator& world) {
  const std::string& path = of_rank<LearnedPlace>().path;
  if (path.empty()) return {};
  const std::optional<std::string> text = read_file(path);
  if (!text) return {};  // the first run
  const std::optional<LearnedFile> file = read_learned(*text);
  if (!file) {
    say("%s is no whole file of what was learned: it is learned anew", path.c_str());
    return {};
  }
  if (file->fingerprint != fingerprint(world)) {
    say("%s was learned on another machine, MPI or layout: it is learned anew", path.c_str());
    return {};
  }
  return *text;
}

}  // namespace

void read() {
  const Communicator* const world = communicators::find(native().comm_world);
  if (world == nullptr || world->around.learns == Learns::off) return;
  std::string text;
  if (world->rank == 0) {
    const auto path = setting(kSetting);
    if (path) of_rank<LearnedPlace>().path = std::filesystem::absolute(*path).string();
    text = usable_text(*world);
  }
  auto length = static_cast<int>(text.size());
  native().Bcast(&length, sizeof length, native().byte, 0, native().comm_world);
  if (length == 0) return;
  text.resize(static_cast<std::size_t>(length));
  native().Bcast(text.data(), length, native().byte, 0, native().comm_world);
  std::optional<LearnedFile> file = read_learned(text);
  if (file) learning::know(std::move(file->all));
}

void write() {
  const Communicator* const world = communicators::find(native().comm_world);
  if (world == nullptr || world->rank != 0 || world->around.learns == Learns::off) return;
  const std::string& path = of_rank<LearnedPlace>().path;
  if (path.empty()) return;
  std::vector<Learned> all = learning::known();
  for (Learned& each : learning::learned()) all.push_back(std::move(each));
  const std::string text = text_of(all, fingerprint(*world));
  // Whoever reads it meanwhile finds the one or the other.
  const std::string fresh = path + ".new." + std::to_string(::getpid());
  const bool written = write_file(fresh, std::as_bytes(std::span(text))) &&
                       std::rename(fresh.c_str(), path.c_str()) == 0;
  if (written) return;
  std::remove(fresh.c_str());
  say("cannot write %s: what was learned is lost", path.c_str());
}

}  // namespace stretto::intercept::accelerate::learned_file
