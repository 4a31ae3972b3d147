#include "intercept/shared/job_name.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"

namespace stretto::intercept {
namespace {

constexpr int kGenerations = 16;  // scripts and debuggers between a rank and its launcher

std::string contents(const std::string& file) {
  std::array<char, 4096> text{};
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t length = ::read(fd, text.data(), text.size());
  ::close(fd);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

std::vector<std::string> command_of(long process) {
  std::vector<std::string> words;
  const std::string text = contents("/proc/" + std::to_string(process) + "/cmdline");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// 0: nobody knows.
long parent_of(long process) {
  const std::string stat = contents("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_end = stat.rfind(')');  // a state and the parent follow
  return name_end + 4 < stat.size() ? std::strtol(stat.c_str() + name_end + 4, nullptr, 10) : 0;
}

std::string value_of(const std::vector<std::string>& command, std::string_view option) {
  const auto found = std::find(command.begin(), command.end(), option);
  return found == command.end() || found + 1 == command.end() ? std::string() : *(found + 1);
}

// MPICH's Hydra gives its ranks no name. But their ancestor on each host, its proxy, is given one
// on its command line where its mpiexec listens, and which group of that mpiexec's processes it
// starts.
std::optional<std::string> hydra_job() {
  if (std::getenv("PMI_RANK") == nullptr) return std::nullopt;
  long process = ::getppid();
  for (int i = 0; i < kGenerations && process > 1; ++i, process = parent_of(process)) {
    const std::vector<std::string> command = command_of(process);
    if (command.empty() || !command.front().ends_with("hydra_pmi_proxy")) continue;
    const std::string mpiexec = value_of(command, "--control-port");
    if (mpiexec.empty()) return std::nullopt;
    return mpiexec + '.' + value_of(command, "--pgid");
  }
  return std::nullopt;
}

std::optional<std::string> name() {
  for (const char* variable : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "I_MPI_HYDRA_UUID"}) {
    if (auto value = setting(variable)) return value;
  }
  if (auto value = hydra_job()) return value;
  // Last, as in a batch script all that Hydra starts is of the script's step.
  return setting("SLURM_STEP_ID");
}

}  // namespace

std::string job_name() {
  std::string found = name().value_or("-");
  std::replace_if(found.begin(), found.end(), [](char c) { return c == ' ' || c == '\n'; }, '_');
  return found;
}

}  // namespace stretto::intercept
