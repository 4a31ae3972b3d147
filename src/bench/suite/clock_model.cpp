#include "bench/suite/clock_model.hpp"

#include <algorithm>
#include <cmath>

namespace stretto::bench {

void ClockModel::add(const ClockReading& reading) {
  readings_.push_back(reading);
  if (readings_.size() > kMostReadings) readings_.pop_front();
  for (const Kind kind : {Kind::shared, Kind::constant, Kind::linear}) {
    // A line needs two points; through fewer, the offset is all that is known.
    if (kind == Kind::linear && readings_.size() < 2) break;
    residual_ = fit(kind);
    if (residual_ <= 0) break;
  }
}

double ClockModel::local(double reference_ns) const {
  // offset_at is that of a local time, which is what is looked for.
  return (reference_ns + offset_ - drift_ * origin_) / (1 - drift_);
}

double ClockModel::fit(Kind kind) {
  kind_ = kind;
  origin_ = readings_.front().local_ns;
  offset_ = 0;
  drift_ = 0;
  if (kind != Kind::shared) {
    // Weighted: a reading with half the error says four times as much.
    double weights = 0;
    double x = 0;
    double y = 0;
    const auto weight_of = [](const ClockReading& each) {
      const double error = std::max(each.error_ns, 1.0);
      return 1 / (error * error);
    };
    for (const ClockReading& each : readings_) {
      const double weight = weight_of(each);
      weights += weight;
      x += weight * (each.local_ns - origin_);
      y += weight * each.offset_ns;
    }
    x /= weights;
    y /= weights;
    if (kind == Kind::linear) {
      double xx = 0;
      double xy = 0;
      for (const ClockReading& each : readings_) {
        const double from_mean = each.local_ns - origin_ - x;
        xx += weight_of(each) * from_mean * from_mean;
        xy += weight_of(each) * from_mean * (each.offset_ns - y);
      }
      drift_ = xx > 0 ? xy / xx : 0;
    }
    offset_ = y - drift_ * x;
  }
  double worst = 0;
  for (const ClockReading& each : readings_) {
    const double distance = std::abs(each.offset_ns - offset_at(each.local_ns));
    worst = std::max(worst, distance - each.error_ns);
  }
  return worst;
}

std::string_view name_of(ClockModel::Kind kind) {
  switch (kind) {
    case ClockModel::Kind::shared:
      return "shared";
    case ClockModel::Kind::constant:
      return "constant";
    case ClockModel::Kind::linear:
      return "linear";
  }
  return "";
}

}  // namespace stretto::bench
