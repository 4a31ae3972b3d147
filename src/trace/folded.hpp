// A sequence of numbers with its repetitions folded into loops, in loops.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace stretto::trace {

// Something that happens so many times in a row: an item, or a loop's body.
struct Entry {
  std::int32_t what = 0;  // >= 0: this item; < 0: body ~what
  std::int64_t times = 1;

  [[nodiscard]] bool is_body() const { return what < 0; }
  // The item's, or the body's.
  [[nodiscard]] std::size_t index() const {
    const std::int32_t index = what < 0 ? ~what : what;
    return static_cast<std::size_t>(index);
  }
  friend auto operator<=>(const Entry&, const Entry&) = default;
};
using Entries = std::vector<Entry>;

struct Folded {
  std::vector<Entries> bodies{};  // each names earlier ones only
  Entries whole{};
};

// Folds as items come: what stands twice in a row becomes a loop. Finds bodies of up to
// kLongestBody entries; what repeats less regularly stays as it is.
class Folding {
 public:
  void append(int item);
  [[nodiscard]] Folded take();

 private:
  [[nodiscard]] bool fold_once();
  [[nodiscard]] std::int32_t body_of_last(std::size_t entries);

  Folded folded_;
  std::map<Entries, std::int32_t> known_;  // bodies
};

// Goes through all items in their order.
class Cursor {
 public:
  explicit Cursor(const Folded& folded);
  [[nodiscard]] std::optional<int> next();

 private:
  struct Place {
    const Entries* sequence;
    std::size_t at;
    std::int64_t done;  // of the entry's times
  };

  const std::vector<Entries>* bodies_;
  std::vector<Place> places_;  // the innermost last
};

// How many items there are in all; empty where that is more than `most`.
[[nodiscard]] std::optional<std::int64_t> items_in(const Folded& folded, std::int64_t most);
// The same where item i counts as weights[i] >= 0.
[[nodiscard]] std::optional<std::int64_t> weight_of(const Folded& folded,
                                                    std::span<const std::int64_t> weights,
                                                    std::int64_t most);

}  // namespace stretto::trace
