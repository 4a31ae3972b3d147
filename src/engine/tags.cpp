#include "engine/tags.hpp"

#include <algorithm>

namespace stretto {
namespace {

// MPI guarantees tags up to 32767. Those of single runs come round only after as many
// messages between one pair of ranks, long after the first was received.
constexpr std::uint32_t kRound = 0x8000;

}  // namespace

std::vector<std::uint32_t> Tags::Counts::advance(const Plan& plan, const std::vector<Rank>& ranks) {
  const auto place = [&ranks](Rank peer) {
    const auto index = static_cast<std::size_t>(peer);
    return ranks.empty() ? index : static_cast<std::size_t>(ranks[index]);
  };
  std::vector<std::uint32_t> numbers(plan.schedule.steps.size());
  for (std::size_t s = 0; s < numbers.size(); ++s) {
    const Step& step = plan.schedule.steps[s];
    const auto ordinal = static_cast<std::uint32_t>(step.ordinal);
    if (step.kind == StepKind::send) numbers[s] = sent[place(step.peer)] + ordinal;
    if (step.kind == StepKind::recv) numbers[s] = received[place(step.peer)] + ordinal;
  }
  for (const auto& [peer, messages] : plan.sent) {
    sent[place(peer)] += static_cast<std::uint32_t>(messages);
  }
  for (const auto& [peer, messages] : plan.received) {
    received[place(peer)] += static_cast<std::uint32_t>(messages);
  }
  return numbers;
}

std::vector<int> Tags::take(const Plan& plan, const std::vector<Rank>& ranks) {
  const std::vector<std::uint32_t> numbers = next_.advance(plan, ranks);
  std::vector<int> tags(numbers.size());
  std::ranges::transform(numbers, tags.begin(),
                         [](std::uint32_t n) { return static_cast<int>(n % kRound); });
  return tags;
}

std::optional<std::vector<int>> Tags::keep(const Plan& plan, const std::vector<Rank>& ranks,
                                           std::int64_t highest) {
  if (!kept_) kept_.emplace(static_cast<int>(next_.sent.size()));
  std::vector<int> tags;
  for (const std::uint32_t number : kept_->advance(plan, ranks)) {
    const std::int64_t tag = std::int64_t{kRound} + number;
    if (tag > highest) return {};
    tags.push_back(static_cast<int>(tag));
  }
  return tags;
}

}  // namespace stretto
