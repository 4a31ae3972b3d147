// Programs that run in virtual time, whose computing takes none of it: so their clocks are what the
// model makes of their calls, to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "fake_mpi/job.hpp"
#include "in_a_process.hpp"
#include "intercept/whatif/process.hpp"
#include "settings.hpp"

namespace stretto::intercept::whatif {

// o of sender and receiver, L and G of the one level; in ns.
inline constexpr double kSend = 30;
inline constexpr double kRecv = 50;
inline constexpr double kLatency = 1000;
inline constexpr double kPerByte = 2;

// Until a message of so many bytes is there, counted from the call that sends it, and what taking
// it in costs besides.
[[nodiscard]] inline double one_way(double bytes) {
  return kSend + kLatency + (bytes - 1) * kPerByte;
}

inline const std::string kMachine = "machine test\nlevel 0 0 0 all\nmessage 0 1000 30 50 0 0 2\n";
// As it is, and without collectives' cost, and without any.
inline const std::string kScenarios =
    "scenario sim\ncomputing 0\n" + kMachine + "scenario zero\ncomputing 0\n" +
    [] {
      std::string free;
      for (int c = 0; c < kCollectives; ++c) {
        free += "collective ";
        free += name_of(static_cast<Collective>(c));
        free += " 0\n";
      }
      return free;
    }() +
    kMachine + "scenario no communication\ncomputing 0\npoint_to_point 0\n" + kMachine;

// A folder that nobody else has.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("stretto-unit-" + std::to_string(::getpid()) + "-" + std::to_string(++made))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name).rdbuf();
    return text.str();
  }

 private:
  static inline int made = 0;
  std::filesystem::path path_;
};

struct Program : fake_mpi::Job {
  explicit Program(int ranks, fake_mpi::Options options = {})
      : Job(ranks, [&] {
          options.initialized = false;
          return options;
        }()) {}
};

// `body` on each rank in virtual time. Settings are a process's for good, so the tests of a process
// all read the same ones.
inline void run_program(fake_mpi::Job& job, const std::function<void(int rank)>& body,
                        int level = MPI_THREAD_SINGLE) {
  static const Folder folder;
  folder.write("scenarios", kScenarios);
  const Setting all("STRETTO_RUN_ALL_RANKS", "trust");
  const Setting scenarios("STRETTO_WHATIF_SCENARIOS", folder.file("scenarios").c_str());
  job.run([&](int rank) {
    int provided = 0;
    ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, level, &provided), MPI_SUCCESS);
    body(rank);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
  });
}

enum { kSim, kZero, kNoCommunication };

// This rank's clock in a scenario.
[[nodiscard]] inline double clock_of(std::size_t scenario) {
  Process& process = Process::get();
  const Lock lock(process.mutex);
  return process.virtual_time.now()[scenario];
}

}  // namespace stretto::intercept::whatif
