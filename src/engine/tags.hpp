// Which tags messages carry: all communicators of the program share one channel of Stretto's, so
// a tag says of which communicator a message is, and which of its messages.
//
//   | context id | 0 | number of the message, modulo the range's width |   operations run once
//   | context id | 1 | slot                                            |   persistent ones
//
// A context id is to Stretto what it is inside an MPI: the ranks of a communicator agree on one
// (see agreement.hpp) that none of them has in use. A persistent operation has one tag, whose
// slot it keeps from its initialization until it is freed: operations may be started in
// different orders on different ranks (MPI 4.1, 6.13), so they cannot share a range.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/sequence.hpp"
#include "schedule/shape.hpp"

namespace stretto {

// How a tag is divided.
struct TagLayout {
  int id_bits = 0;
  int number_bits = 0;

  // `highest` is the highest tag that the MPI allows: 32,767 or more (MPI 4.1, 11.2.1).
  [[nodiscard]] static TagLayout up_to(std::int64_t highest);

  [[nodiscard]] int ids() const { return 1 << id_bits; }
  [[nodiscard]] int width() const { return 1 << number_bits; }
  [[nodiscard]] int first_tag(int id) const { return id << (number_bits + 1); }
  [[nodiscard]] int slot_tag(int id, int slot) const { return first_tag(id) + width() + slot; }
};

// Some tags, and the messages that share them in turn. Guarded by the engine's lock.
class TagRange {
 public:
  TagRange() = default;
  TagRange(int first, int width) : first_(first), width_(static_cast<std::uint64_t>(width)) {}

  [[nodiscard]] int tag(std::uint64_t number) const {
    return first_ + static_cast<int>(number % width_);
  }
  [[nodiscard]] std::uint64_t width() const { return width_; }
  // With one rank of the communicator. Their addresses stay.
  Sequence& to(Rank peer) { return sent_[peer]; }
  Sequence& from(Rank peer) { return received_[peer]; }

 private:
  int first_ = 0;
  std::uint64_t width_ = 1;
  std::unordered_map<Rank, Sequence> sent_;  // of those alone that there are messages with
  std::unordered_map<Rank, Sequence> received_;
};

// The context ids that this process has not in use on one channel, and who may agree on one
// of them with other ranks. Thread-safe.
//
// Threads may create communicators at the same time, in different orders on different ranks, and
// must not come to the same id: only one of them offers this process's free ids at a time.
class ContextIds {
 public:
  using Word = std::uint64_t;
  static constexpr int kWordBits = 64;

  explicit ContextIds(int ids);

  // The right to offer ids and to take one. Refused while another has it, and to all but the
  // most urgent one of those that wait. `urgency`: 0 is none, and does not wait.
  bool begin(std::uint64_t urgency);
  // Gives the right back, where `begin` was granted, and takes an id where there is one.
  void end(std::optional<int> id);
  // Who was refused waits, by an urgency that all its ranks agree on, until it stops.
  void wait(std::uint64_t urgency);
  void stop_waiting(std::uint64_t urgency);

  // A bit each, set where the id is free: `words` from the word numbered `first` on. All 0
  // behind the last.
  void read(std::size_t first, std::span<Word> words) const;
  [[nodiscard]] std::size_t words() const { return free_.size(); }

  void give_back(int id);

 private:
  mutable std::mutex mutex_;
  std::vector<Word> free_;
  std::multiset<std::uint64_t> waiting_;
  bool offered_ = false;
};

// The slots of the persistent operations of one communicator. Its ranks initialize these in one
// order, so they take the same slots; they free them in any order, so what is free on all
// they have to agree on, but only when all slots were taken once. Thread-safe.
class PersistentSlots {
 public:
  explicit PersistentSlots(int slots) : slots_(slots) {}

  // nullopt: `agree` on those that are free again, then try once more.
  std::optional<int> take();
  void give_back(int slot);

  // A bit each, set where the slot was given back here; and those that all gave back.
  [[nodiscard]] std::vector<std::uint64_t> returned() const;
  void renew(std::span<const std::uint64_t> returned_on_all);

 private:
  mutable std::mutex mutex_;
  int slots_;
  int next_ = 0;              // the first that was never taken
  std::vector<int> renewed_;  // to be taken again, the last first
  std::set<int> given_back_;  // here, since then
};

}  // namespace stretto
