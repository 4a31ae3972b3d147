#include "intercept/accelerate/learned_file.hpp"

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "api/learning.hpp"
#include "base/config.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "engine/engine.hpp"

namespace stretto::intercept::accelerate::learned_file {
namespace {

constexpr const char* kSetting = "STRETTO_LEARN_FILE";

// What the kernel calls this machine's processors; empty where it names none.
std::string processor() {
  const std::string all = read_file("/proc/cpuinfo").value_or("");
  const std::size_t name = all.find("model name");
  if (name == std::string::npos) return {};
  const std::size_t begin = all.find(": ", name);
  const std::size_t end = all.find('\n', name);
  if (begin >= end) return {};
  return all.substr(begin + 2, end - begin - 2);
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
  const auto path = setting(kSetting);
  if (!path) return {};
  const std::optional<std::string> text = read_file(*path);
  if (!text) return {};  // the first run
  const std::optional<LearnedFile> file = read_learned(*text);
  if (!file) {
    say("%s is no whole file of what was learned: it is learned anew", path->c_str());
    return {};
  }
  if (file->fingerprint != fingerprint(world)) {
    say("%s was learned on another machine, MPI or layout: it is learned anew", path->c_str());
    return {};
  }
  return *text;
}

}  // namespace

void read() {
  const Communicator* const world = communicators::find(native().comm_world);
  if (world == nullptr || world->around.learns == Learns::off) return;
  std::string text;
  if (world->rank == 0) text = usable_text(*world);
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
  const auto path = setting(kSetting);
  if (!path) return;
  std::vector<Learned> all = learning::known();
  for (Learned& each : learning::learned()) all.push_back(std::move(each));
  const std::string text = text_of(all, fingerprint(*world));
  // Whoever reads it meanwhile finds the one or the other.
  const std::string fresh = *path + ".new." + std::to_string(::getpid());
  const bool written = write_file(fresh, std::as_bytes(std::span(text))) &&
                       std::rename(fresh.c_str(), path->c_str()) == 0;
  if (!written) say("cannot write %s: what was learned is lost", path->c_str());
}

}  // namespace stretto::intercept::accelerate::learned_file
