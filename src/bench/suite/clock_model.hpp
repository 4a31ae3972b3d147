// How the clock of another rank runs against one's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

namespace stretto::bench {

// What one burst of round trips between two ranks found.
struct ClockReading {
  double local_ns = 0;   // when, by the clock that is modelled
  double offset_ns = 0;  // so much that clock is ahead of the reference
  double error_ns = 0;   // by so much at most, as half the shortest round trip
};

// The offset of a clock from the reference: none, the same always, or growing. Of these the
// simplest that explains every reading to within its error; a line, fitted by least squares, where
// none does.
class ClockModel {
 public:
  enum class Kind : std::uint8_t { shared, constant, linear };

  void add(const ClockReading& reading);

  // When the modelled clock shows `local_ns` the reference shows this.
  [[nodiscard]] double reference(double local_ns) const { return local_ns - offset_at(local_ns); }
  // And the other way round.
  [[nodiscard]] double local(double reference_ns) const;

  [[nodiscard]] Kind kind() const { return kind_; }
  // How far the readings are from the model, beyond what their errors explain, at most; in ns.
  [[nodiscard]] double residual_ns() const { return residual_; }
  // By how much at most the last reading may have been wrong.
  [[nodiscard]] double error_ns() const {
    return readings_.empty() ? 0 : readings_.back().error_ns;
  }

 private:
  // More would weigh how the clock ran long ago.
  static constexpr std::size_t kMostReadings = 32;

  [[nodiscard]] double offset_at(double local_ns) const {
    return offset_ + drift_ * (local_ns - origin_);
  }
  // Sets this kind of model, and says how well it explains the readings.
  double fit(Kind kind);

  std::deque<ClockReading> readings_{};
  Kind kind_ = Kind::shared;
  double origin_ = 0;
  double offset_ = 0;  // at the origin
  double drift_ = 0;   // ns of it a ns
  double residual_ = 0;
};

[[nodiscard]] std::string_view name_of(ClockModel::Kind kind);

}  // namespace stretto::bench
