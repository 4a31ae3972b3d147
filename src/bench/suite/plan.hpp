// What one launch of a benchmark is to measure, as `stretto bench` writes it: lines of words.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::bench {

enum class CallForm : std::uint8_t { blocking, nonblocking, persistent };

// How ranks come to begin a repetition together.
enum class Scheme : std::uint8_t {
  automatic,       // round_time where ranks have cores of their own, barrier where they do not
  none,            // each rank begins when it has ended the one before
  barrier,         // after the MPI's MPI_Barrier
  double_barrier,  // after two of them
  dissemination,   // after a barrier by messages of ours, as log2 n rounds
  window,          // at times that were agreed on before the first repetition
  round_time,      // at a time that rank 0 sets anew for each
};

// Where the data of a repetition lie.
enum class BufferUse : std::uint8_t {
  same,       // in buffers that nobody has touched since the repetition before
  rewritten,  // in the same buffers, written anew
  unique,     // in buffers that were not used for long, written anew
  cold,       // written anew and then in no cache
};

struct Settings {
  Scheme scheme = Scheme::automatic;
  BufferUse buffers = BufferUse::rewritten;
  bool checks = true;          // Are results compared with what they must be?
  std::int64_t budget_ns = 0;  // repetitions of a cell end after so long
  int warmup = 10;             // at least so many repetitions before those that count; 0: none
  int at_least = 10;           // repetitions that count, however long they take
  int at_most = 1000;
  std::int64_t tolerance_ns = 1000;  // so late may a rank begin that was to begin at a time
  int cell_timeout_s = 0;            // A cell that takes longer ends the launch; 0: none does.
  std::int64_t skew_ns = 0;          // rank 0 begins so much later: a test of what is reported
};

struct BenchCell {
  std::int64_t number = 0;
  std::string operation{};  // "allreduce"
  CallForm form = CallForm::blocking;
  std::int64_t bytes = 0;  // of the vector, or of one rank's block
  std::string datatype = "double";
  std::string op = "sum";
  bool in_place = false;
  int root = 0;       // of the first repetition
  int root_step = 0;  // each one's root is by so many higher
  std::string comm = "world";
  bool fresh = false;    // Is the communicator one on which nobody has called anything?
  bool of_root = false;  // Are all elements the root's, and none of other ranks?
  std::vector<std::int64_t> counts{};     // elements of each rank's block, where they differ
  std::int64_t compute_ns = 0;            // work between start and wait
  int tests = 0;                          // MPI_Tests within that work
  std::int64_t after_ns = 0;              // work after the wait
  std::vector<std::int64_t> delays_ns{};  // how late each rank comes, from `delays_from` on
  std::int64_t delays_from = 0;           // Those that have no delay do not come late.
};

struct BenchPlan {
  Settings settings{};
  std::vector<BenchCell> cells{};
};

struct BadPlan : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws BadPlan, which names the line and the word.
[[nodiscard]] BenchPlan read_plan(std::string_view text);

}  // namespace stretto::bench
