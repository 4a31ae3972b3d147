#include "model/turns.hpp"

#include <numeric>
#include <utility>

namespace stretto::model {

Turns::Turns(SharedLinks links, std::size_t ranks) : links_(std::move(links)), ranks_(ranks) {
  const auto domain_of = [&](Rank rank) { return links_.domain_of(rank); };
  const auto before = [&](Rank a, Rank b) { return domain_of(a) < domain_of(b); };
  by_domain_.resize(ranks);
  std::iota(by_domain_.begin(), by_domain_.end(), 0);
  const bool in_order = std::is_sorted(by_domain_.begin(), by_domain_.end(), before);
  if (!in_order) std::stable_sort(by_domain_.begin(), by_domain_.end(), before);
  const std::size_t domains = domain_of(by_domain_.back()) + 1;
  if (in_order) by_domain_ = decltype(by_domain_)();
  last_out_.resize(domains, {.start = -1, .sender = -1, .other = -1});
  last_in_ = last_out_;
}

}  // namespace stretto::model
