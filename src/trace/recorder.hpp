// Writes one rank's part of a trace while the program runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trace/format.hpp"
#include "trace/trace.hpp"

namespace stretto::trace {

// In memory is what differs; how long each computing took goes to the file as it comes.
class Recorder {
 public:
  // To a file that is not there yet.
  Recorder(const std::string& path, int rank, int size, const Location& location);

  // `op.kind` is compute or pass.
  void lasted(OpKind kind, std::int64_t ns);
  void did(const Op& op);
  // Their index.
  int add(Comm comm);
  int add(model::CallSite call_site);

  // False where not all of it could be written; then the file is no trace.
  [[nodiscard]] bool end(const Ending& ending);
  // Why, where it was not for the file's sake.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  void write(const Bytes& bytes);
  void write(Tag tag, const Packer& content);
  void write_durations();

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  int size_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string why_not_;
  bool written_ = true;
  Packer durations_;  // that are still to be written
  std::int64_t lasted_ = 0;
  std::int64_t done_ = 0;
  std::map<Op, int> known_;
  std::vector<Op> ops_;
  std::vector<Comm> comms_;
  std::vector<model::CallSite> call_sites_;
  Folding folding_;
};

}  // namespace stretto::trace
