// The clock that all ranks of a launch have in common: rank 0's, by a model of one's own.
#pragma once

#include <mpi.h>

#include <cmath>
#include <cstdint>

#include "bench/suite/clock_model.hpp"

namespace stretto::bench {

class CommonClock {
 public:
  // Called by all ranks of `comm`, with which nobody else sends messages meanwhile.
  CommonClock(MPI_Comm comm, bool crowded);

  // Reads the other clocks again where there are several; called by all ranks.
  void read_again();
  // The same once the last reading is so old that clocks may have drifted, as rank 0 has it.
  void keep_up();

  // When one's own clock shows that, that of rank 0 shows this.
  [[nodiscard]] std::int64_t common(std::int64_t local_ns) const {
    return std::llround(model_.reference(static_cast<double>(local_ns - origin_)));
  }
  [[nodiscard]] std::int64_t local(std::int64_t common_ns) const {
    return std::llround(model_.local(static_cast<double>(common_ns))) + origin_;
  }
  // The worst of all ranks' models: the least simple kind, and by how much readings are off it.
  [[nodiscard]] ClockModel::Kind kind() const { return kind_; }
  [[nodiscard]] double residual_ns() const { return residual_; }
  // How often it has been read.
  [[nodiscard]] int readings() const { return readings_; }
  // How exactly times of two ranks can be compared, in ns; 0 where they share a clock.
  [[nodiscard]] double uncertainty_ns() const { return uncertainty_; }

 private:
  void read();
  ClockReading read_with(int rank, int other) const;

  MPI_Comm comm_;
  bool crowded_;
  std::int64_t origin_ = 0;  // the same on all ranks, so that numbers stay small
  ClockModel model_{};
  ClockModel::Kind kind_ = ClockModel::Kind::shared;
  double residual_ = 0;
  double uncertainty_ = 0;
  int readings_ = 0;
  std::int64_t last_read_ = 0;   // when the last reading ended
  std::int64_t reading_ns_ = 0;  // how long it took
};

}  // namespace stretto::bench
