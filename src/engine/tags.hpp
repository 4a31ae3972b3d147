// Which tags messages carry. Both ends of a pair of ranks count the messages between them
// alike, so they agree without a word.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/plan.hpp"

namespace stretto {

// Guarded by the engine's lock.
class Tags {
 public:
  explicit Tags(int size) : next_(size) {}

  // Both return a tag a step. `ranks`: see Task.

  // For one run of `plan`.
  [[nodiscard]] std::vector<int> take(const Plan& plan, const std::vector<Rank>& ranks);
  // For any number of runs, one after the other, whatever is started in between (MPI 4.1,
  // 6.13: the starts of persistent operations have no order). Nothing where there are no
  // more up to `highest`.
  [[nodiscard]] std::optional<std::vector<int>> keep(const Plan& plan,
                                                     const std::vector<Rank>& ranks,
                                                     std::int64_t highest);

 private:
  // Messages so far to each rank of the channel and from each.
  struct Counts {
    std::vector<std::uint32_t> sent;
    std::vector<std::uint32_t> received;

    explicit Counts(int size)
        : sent(static_cast<std::size_t>(size)), received(static_cast<std::size_t>(size)) {}
    std::vector<std::uint32_t> advance(const Plan& plan, const std::vector<Rank>& ranks);
  };

  Counts next_;
  std::optional<Counts> kept_;  // few programs need it
};

}  // namespace stretto
