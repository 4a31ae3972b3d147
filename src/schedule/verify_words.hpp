// How the verifier names shapes, steps and regions to people.
#pragma once

#include <string>
#include <string_view>

#include "base/words.hpp"
#include "schedule/verify.hpp"

namespace stretto {

// "send", "recv", "scratch"
[[nodiscard]] std::string_view name_of(Buffer buffer);
// "recv[4,6)"
[[nodiscard]] std::string describe(const Region& region);
// "recv from rank 2 into recv[4,6)"
[[nodiscard]] std::string describe(const Step& step);
// "step 5 (recv from rank 2 into recv[4,6))"
[[nodiscard]] std::string describe(const Schedule& schedule, StepId step);
// "allreduce ring, 8 ranks, count 10, in place"
[[nodiscard]] std::string describe(std::string_view algorithm, const Shape& shape);

// "host {0,1}{2,3}"; no word where there is no level
[[nodiscard]] std::string describe(const Layout& layout);

// What all parts of one proof read.
struct Proof {
  std::string_view algorithm;
  const Shape& shape;
  const Layout& layout;
  std::span<const Schedule> ranks;

  [[nodiscard]] const Schedule& of(Rank rank) const {
    return ranks[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] Fault fault(Rank rank, StepId step, std::string_view what) const;
};

}  // namespace stretto
