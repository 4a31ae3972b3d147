// Which algorithm runs a call, or that the MPI underneath does (`native`).
//
// The answer must be the same on all ranks of a communicator, so it depends only on
// what MPI requires to be equal on them and on the topology they all know; but where ranks that
// choose differently understand each other all the same.
#pragma once

#include <array>
#include <cstdint>

#include "collectives/algorithm.hpp"

namespace stretto {

enum class Form : std::uint8_t { blocking, nonblocking, persistent };
inline constexpr int kForms = 3;

struct Query {
  Collective collective{};
  int size = 1;
  Count bytes = 0;      // of the vector, or of one rank's block (see Shape::count)
  bool uneven = false;  // the ranks' blocks differ in size (gatherv and its kind): their mean,
                        // or 0 where not all ranks know it; of an alltoall that of this rank's
                        // own, since all its algorithms for such blocks send the same messages
  bool commutative = true;
  Count element_bytes = 1;     // of a reduction; nothing is cut within an element
  bool calls_program = false;  // the operation is a function of the program's
  bool without_mpi = false;    // it needs the MPI for nothing between its begin and its end
  Form form = Form::blocking;
  bool two_groups = false;  // the communicator is an intercommunicator

  friend bool operator==(const Query&, const Query&) = default;
};

// Shorter ones are the MPI's where no progress thread may call it (docs/decisions/0003).
inline constexpr Count kLongInMemory = Count{64} * 1024;

class TunedRules;

// Is it to be found out while the program runs which algorithm is the fastest?
enum class Learns : std::uint8_t {
  off,
  on,   // but not of reductions whose result depends on the order of the operands
  all,  // of these, too
};

struct Surroundings {
  int hosts = 1;
  bool in_blocks = true;           // a host's ranks follow each other
  bool has_cores = true;           // each rank its own, as far as is known
  bool shares_memory = false;      // all ranks do, and no message of theirs is the MPI's
  bool has_shared_blocks = false;  // likewise: see transport/shm/shared_blocks.hpp
  bool has_long_blocks = false;    // and they hold more
  // Then shorter messages of theirs go faster than one copy by the kernel, as the MPI's do.
  Count beats_kernel_below = 0;
  Count beats_kernel_anew_below = 0;  // of collectives that send what is written anew
  bool progress_thread = false;
  // Without one: what needs nothing of the MPI advances all the same.
  bool progress_in_memory = false;
  bool is_mpich = false;         // the MPI is MPICH itself, not one that is made of it
  bool program_threads = false;  // all ranks' programs have MPI_THREAD_MULTIPLE
  // STRETTO_SELECTION=stretto: no collective is the MPI's because that is expected to be faster.
  bool never_native = false;
  bool device_buffers = false;  // a rank may hand over memory of a GPU's
  Learns learns = Learns::off;
  const TunedRules* rules = nullptr;  // those that were measured; nullptr: none
};

// Why a call goes to the MPI.
enum class Reason : std::uint8_t {
  none,                // it does not
  native_faster,       // by rules, times or what was learned
  native_forced,       // STRETTO_SELECTION_<COLLECTIVE>=native says so
  no_progress_thread,  // nonblocking, and nobody would drive it
  one_rank,
  not_attached,        // a communicator Stretto does not know
  too_large,           // beyond what one int can count in bytes
  invalid_arguments,   // the MPI reports them best
  changes_rank_order,  // forced algorithm, operation not commutative
  uneven_blocks,       // forced algorithm, blocks that differ in size
  no_tags,             // as many persistent collectives as the MPI has tags for
  device_buffers,      // a rank's buffer is, or may be, in a GPU's memory
  one_thread,          // nonblocking, and the operation must not run beside the program
};
inline constexpr int kReasons = 13;
[[nodiscard]] const char* words(Reason reason);

// What a choice goes by.
enum class Basis : std::uint8_t {
  none,
  forced,            // STRETTO_SELECTION_<COLLECTIVE>
  tuned,             // a rule that `stretto tune` measured
  few_ranks,         // the rules of between_hosts.cpp, for up to 16 ranks
  in_memory,         // the rules of in_memory.cpp, for ranks of one host with cores of their own
  shared_blocks,     // one host, and so short that ranks read it where it was written
  times,             // what the algorithms' own formulas say
  classic,           // a host's ranks do not follow each other, and it is what the MPIs run
  one_host,          // on one host the MPI's own meet in shared memory
  over_at_once,      // between two ranks, and so short that nobody need move it along
  scattered,         // a host's ranks do not follow each other, and the call may be the MPI's
  crowded,           // ranks share cores
  better_elsewhere,  // the MPIs run something faster, which is not Stretto's to run
};

struct Choice {
  const Algorithm* algorithm = nullptr;  // nullptr: native
  Count segment_bytes = 0;               // 0: not segmented
  int radix = 2;
  Reason reason = Reason::none;
  Basis basis = Basis::none;
};

// What the user forces for one collective, on communicators its algorithm is for.
struct Forced {
  bool native = false;
  const Algorithm* algorithm = nullptr;
};
using Overrides = std::array<Forced, kCollectives>;

// STRETTO_SELECTION_<COLLECTIVE>, read once a rank; an unknown name stops the program with one
// line and exit code 2.
[[nodiscard]] const Overrides& overrides();

// STRETTO_SELECTION, likewise.
[[nodiscard]] bool never_native();

// STRETTO_LEARN, likewise.
[[nodiscard]] Learns learn_setting();

[[nodiscard]] Choice choose(const Query& query, const Surroundings& around,
                            const Overrides& overrides);

// Why every call of query.collective and query.bytes goes to the MPI, whatever its buffers, types
// and operation; Reason::none where those have to be read.
[[nodiscard]] Reason always_native(const Query& query, const Surroundings& around,
                                   const Overrides& overrides);

}  // namespace stretto
