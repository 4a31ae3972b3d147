// How ranks come to begin a repetition together.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "bench/suite/clocks.hpp"
#include "bench/suite/plan.hpp"

namespace stretto::bench {

class Synchronisation {
 public:
  // Messages go by the MPI's own functions on `comm`, which nobody else uses.
  Synchronisation(Scheme scheme, MPI_Comm comm, const CommonClock& clocks, bool crowded);

  [[nodiscard]] Scheme scheme() const { return scheme_; }

  // Called by all ranks before so many repetitions; `usual_ns` is what one takes, with all that
  // is done around it.
  void begin_batch(int repetitions, std::int64_t usual_ns);

  // Returns when this rank may begin repetition i of the batch.
  void wait(int i);

  // Called by all ranks after a batch: which of its repetitions began as the scheme has it, of all
  // ranks. `arrived` and `entered` are this rank's, by the launch's clock; `late_by` is by how much
  // it was meant to be late.
  [[nodiscard]] std::vector<bool> valid(const std::vector<std::int64_t>& arrived,
                                        const std::vector<std::int64_t>& entered,
                                        std::int64_t late_by, std::int64_t tolerance_ns) const;

  // Called by all ranks with the share of a batch that was valid: where ranks came too late for
  // their times, the next ones are farther ahead. Where that is no help, nobody has asked for times
  // and nothing counts yet, a barrier is what keeps repetitions valid.
  void learn_from(double valid_share, bool counts);

 private:
  void disseminate() const;
  void wait_until(std::int64_t common_ns) const;
  Scheme scheme_;
  bool is_free_;  // to take another scheme
  MPI_Comm comm_;
  const CommonClock& clocks_;
  bool crowded_;
  int rank_ = 0;
  int size_ = 1;
  std::int64_t message_ns_ = 0;         // what a broadcast takes
  std::int64_t ahead_ns_ = 0;           // from when rank 0 says when to begin until then
  std::int64_t first_ = 0;              // of a window: when the first repetition begins
  std::int64_t window_ = 0;             // from one to the next
  std::vector<std::int64_t> begins_{};  // when each was to begin; of the schemes that say so
};

}  // namespace stretto::bench
