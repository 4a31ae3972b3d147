// Traces of programs that were never run.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>

#include "trace/format.hpp"
#include "trace/recorder.hpp"

namespace stretto::trace {

// A file that is gone with it.
class Scratch {
 public:
  Scratch() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("stretto-unit-" + std::to_string(getpid()) + "-" + std::to_string(number++));
  }
  ~Scratch() { std::filesystem::remove(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// What stands before the ranks' parts.
inline std::string beginning(std::string_view about = "{}") {
  const Bytes bytes(about.begin(), about.end());
  return std::string(kMagic) + text_of(framed(Tag::about, bytes));
}

// `record(recorder, rank)` does what the rank does; returns its ending.
template <class Record>
std::string recorded(int ranks, Record record) {
  std::string whole = beginning();
  for (int rank = 0; rank < ranks; ++rank) {
    const Scratch file;
    Recorder recorder(file.path(), rank, ranks, {});
    const Ending ending = record(recorder, rank);
    EXPECT_TRUE(recorder.end(ending));
    whole += file.content();
  }
  return whole;
}

inline Trace read(const std::string& text) {
  std::istringstream file(text);
  return read_trace(file);
}

}  // namespace stretto::trace
