// The raw samples of a rank, as they lie in its file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace stretto::bench {

constexpr std::uint32_t kWarmup = 1;    // before those that count
constexpr std::uint32_t kInvalid = 2;   // the ranks did not begin as the scheme has it
constexpr std::uint32_t kWrong = 4;     // the result was not what it must be
constexpr std::uint32_t kChanging = 8;  // the calls of the warm-up had not come to be alike

constexpr std::int64_t kNotTaken = -1;  // a time that this kind of cell has not

// One repetition. Times are ns of the launch's clock. python/stretto/data/bench_rows.py reads it.
struct Row {
  std::int32_t cell = 0;
  std::int32_t repetition = 0;  // of the cell, its warm-up included
  std::int32_t root = -1;       // as a rank of the launch; -1: the operation has none
  std::uint32_t flags = 0;
  std::int32_t group = 0;             // of several that are measured at once
  std::int32_t warm_up_calls = 0;     // before those that count; 0 within the warm-up
  std::int64_t arrived = kNotTaken;   // ready to begin, and waiting for the others
  std::int64_t entered = kNotTaken;   // called the operation
  std::int64_t started = kNotTaken;   // a start has returned
  std::int64_t computed = kNotTaken;  // the work beside the operation was done
  std::int64_t left = kNotTaken;      // the operation was complete
  std::int64_t after = kNotTaken;     // the work after it was done
  std::int64_t in_tests = 0;          // ns in MPI_Test
};
static_assert(sizeof(Row) == 80);

// The file of one rank.
class RowFile {
 public:
  explicit RowFile(const std::string& path);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  // They are in the system's hands when this returns. Ends the process where the disk is full.
  void append(const std::vector<Row>& rows);

 private:
  std::string path_;
  std::FILE* file_;
};

}  // namespace stretto::bench
