#include "engine/tags.hpp"

#include <algorithm>
#include <bit>

namespace stretto {
namespace {

constexpr int kFewestIdBits = 11;  // as many communicators as MPICH has contexts for
constexpr int kMostIdBits = 14;

}  // namespace

TagLayout TagLayout::up_to(std::int64_t highest) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(highest) + 1)) - 1;
  const int id_bits = std::clamp((bits - 1) / 2, kFewestIdBits, kMostIdBits);
  return {.id_bits = id_bits, .number_bits = std::max(bits - 1 - id_bits, 0)};
}

ContextIds::ContextIds(int ids)
    : free_((static_cast<std::size_t>(ids) + kWordBits - 1) / kWordBits, ~Word{0}) {
  if (const int rest = ids % kWordBits; rest != 0) free_.back() = (Word{1} << rest) - 1;
}

bool ContextIds::begin(std::uint64_t urgency) {
  const std::lock_guard lock(mutex_);
  if (offered_) return false;
  if (!waiting_.empty() && *waiting_.rbegin() > urgency) return false;
  offered_ = true;
  return true;
}

void ContextIds::end(std::optional<int> id) {
  const std::lock_guard lock(mutex_);
  offered_ = false;
  if (!id) return;
  free_[static_cast<std::size_t>(*id / kWordBits)] &= ~(Word{1} << (*id % kWordBits));
}

void ContextIds::wait(std::uint64_t urgency) {
  const std::lock_guard lock(mutex_);
  waiting_.insert(urgency);
}

void ContextIds::stop_waiting(std::uint64_t urgency) {
  const std::lock_guard lock(mutex_);
  waiting_.erase(waiting_.find(urgency));
}

void ContextIds::read(std::size_t first, std::span<Word> words) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t w = 0; w < words.size(); ++w) {
    words[w] = first + w < free_.size() ? free_[first + w] : 0;
  }
}

void ContextIds::give_back(int id) {
  const std::lock_guard lock(mutex_);
  free_[static_cast<std::size_t>(id / kWordBits)] |= Word{1} << (id % kWordBits);
}

std::optional<int> PersistentSlots::take() {
  const std::lock_guard lock(mutex_);
  if (next_ < slots_) return next_++;
  if (renewed_.empty()) return std::nullopt;
  const int slot = renewed_.back();
  renewed_.pop_back();
  return slot;
}

void PersistentSlots::give_back(int slot) {
  const std::lock_guard lock(mutex_);
  given_back_.insert(slot);
}

std::vector<std::uint64_t> PersistentSlots::returned() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> bits((static_cast<std::size_t>(slots_) + 63) / 64);
  for (const int slot : given_back_) {
    bits[static_cast<std::size_t>(slot / 64)] |= std::uint64_t{1} << (slot % 64);
  }
  return bits;
}

void PersistentSlots::renew(std::span<const std::uint64_t> returned_on_all) {
  const std::lock_guard lock(mutex_);
  for (int slot = slots_; slot-- > 0;) {
    if ((returned_on_all[static_cast<std::size_t>(slot / 64)] >> (slot % 64) & 1) == 0) continue;
    given_back_.erase(slot);
    renewed_.push_back(slot);
  }
}

}  // namespace stretto
