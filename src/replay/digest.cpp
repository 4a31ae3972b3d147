#include "replay/digest.hpp"

namespace stretto::replay {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 1'000'000'007;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product % kPrime);
}

Digest joined(const Digest& first, const Digest& second) {
  return {.value = (times(first.value, second.power) + second.value) % kPrime,
          .power = times(first.power, second.power)};
}

Digest repeated(Digest once, std::int64_t number) {
  Digest all;
  for (; number > 0; number >>= 1) {
    if (number % 2 == 1) all = joined(all, once);
    once = joined(once, once);
  }
  return all;
}

}  // namespace

Digest digest_of(const trace::Folded& folded, const std::vector<std::uint64_t>& words) {
  std::vector<Digest> of_body;
  of_body.reserve(folded.bodies.size());
  const auto digest = [&](const trace::Entries& sequence) {
    Digest all;
    for (const trace::Entry& entry : sequence) {
      const Digest once = entry.is_body()
                              ? of_body[entry.index()]
                              : Digest{.value = words[entry.index()] % kPrime, .power = kBase};
      all = joined(all, repeated(once, entry.times));
    }
    return all;
  };
  for (const trace::Entries& body : folded.bodies) of_body.push_back(digest(body));
  return digest(folded.whole);
}

std::vector<std::int64_t> times_of_items(const trace::Folded& folded, std::size_t items) {
  std::vector<std::int64_t> of_item(items);
  std::vector<std::int64_t> of_body(folded.bodies.size());
  const auto add = [&](const trace::Entries& sequence, std::int64_t turns) {
    for (const trace::Entry& entry : sequence) {
      auto& count = entry.is_body() ? of_body[entry.index()] : of_item[entry.index()];
      count += turns * entry.times;
    }
  };
  add(folded.whole, 1);
  // Later bodies name earlier ones only.
  for (std::size_t i = folded.bodies.size(); i-- > 0;) add(folded.bodies[i], of_body[i]);
  return of_item;
}

}  // namespace stretto::replay
