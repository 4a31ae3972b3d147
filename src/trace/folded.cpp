#include "trace/folded.hpp"

#include <algorithm>
#include <utility>

namespace stretto::trace {
namespace {

constexpr std::size_t kLongestBody = 128;

}  // namespace

void Folding::append(int item) {
  folded_.whole.push_back({.what = item});
  while (fold_once()) {
  }
}

Folded Folding::take() {
  known_.clear();
  return std::exchange(folded_, {});
}

bool Folding::fold_once() {
  Entries& whole = folded_.whole;
  const std::size_t n = whole.size();
  if (n < 2) return false;
  const Entry last = whole[n - 1];
  if (whole[n - 2].what == last.what) {
    whole[n - 2].times += last.times;
    whole.pop_back();
    return true;
  }
  for (std::size_t k = 2; k < n && k <= kLongestBody; ++k) {
    const auto tail = whole.end() - static_cast<std::ptrdiff_t>(k);
    // One more turn of the loop before.
    if (Entry& before = *(tail - 1); before.is_body()) {
      const Entries& body = folded_.bodies[before.index()];
      if (body.size() == k && body.back() == last && std::equal(tail, whole.end(), body.begin())) {
        ++before.times;
        whole.resize(n - k);
        return true;
      }
    }
    if (2 * k > n || whole[n - 1 - k] != last) continue;
    const auto start = tail - static_cast<std::ptrdiff_t>(k);
    if (std::equal(tail, whole.end(), start)) {
      const std::int32_t body = body_of_last(k);
      whole.resize(n - 2 * k);
      whole.push_back({.what = ~body, .times = 2});
      return true;
    }
  }
  return false;
}

std::int32_t Folding::body_of_last(std::size_t entries) {
  Entries& whole = folded_.whole;
  Entries body(whole.end() - static_cast<std::ptrdiff_t>(entries), whole.end());
  const auto next = static_cast<std::int32_t>(folded_.bodies.size());
  const auto [found, is_new] = known_.emplace(std::move(body), next);
  if (is_new) folded_.bodies.push_back(found->first);
  return found->second;
}

Cursor::Cursor(const Folded& folded) : bodies_(&folded.bodies), places_{{&folded.whole, 0, 0}} {}

std::optional<int> Cursor::next() {
  while (!places_.empty()) {
    Place& place = places_.back();
    if (place.at == place.sequence->size()) {
      places_.pop_back();
      continue;
    }
    const Entry& entry = (*place.sequence)[place.at];
    if (place.done == entry.times) {
      ++place.at;
      place.done = 0;
      continue;
    }
    ++place.done;
    if (!entry.is_body()) return entry.what;
    places_.push_back({&(*bodies_)[entry.index()], 0, 0});
  }
  return {};
}

namespace {

template <class WeightOf>
std::optional<std::int64_t> sum_of(const Folded& folded, std::int64_t most, WeightOf weigh) {
  std::vector<std::int64_t> of_body;
  of_body.reserve(folded.bodies.size());
  const auto sum = [&](const Entries& sequence) -> std::optional<std::int64_t> {
    std::int64_t all = 0;
    for (const Entry& entry : sequence) {
      const std::size_t index = entry.index();
      const std::int64_t each = entry.is_body() ? of_body[index] : weigh(index);
      std::int64_t weight = 0;
      if (__builtin_mul_overflow(each, entry.times, &weight) || weight > most - all) return {};
      all += weight;
    }
    return all;
  };
  for (const Entries& body : folded.bodies) {
    const auto weight = sum(body);
    if (!weight) return {};
    of_body.push_back(*weight);
  }
  return sum(folded.whole);
}

}  // namespace

std::optional<std::int64_t> items_in(const Folded& folded, std::int64_t most) {
  return sum_of(folded, most, [](std::size_t /*item*/) { return std::int64_t{1}; });
}

std::optional<std::int64_t> weight_of(const Folded& folded, std::span<const std::int64_t> weights,
                                      std::int64_t most) {
  return sum_of(folded, most, [&](std::size_t item) { return weights[item]; });
}

}  // namespace stretto::trace
