// The numbers of the messages that go one way between two ranks, and in which order they may
// be posted.
//
// Both ends count their messages alike, so they agree on each one's number without a word. Numbers
// share tags (see TagRange), and two messages of one tag are distinguished by their order alone: an
// MPI matches sends and receives of one tag in the order in which they were posted (MPI 4.1,
// 3.5). So each end posts them in the order of their numbers, by itself: a message waits
// until the one with its tag before it has been posted here, not until that has arrived.
//
// Such a wait ends: within an operation `verify` proves every schedule free of deadlock where
// all messages of a pair are posted one after the other, and operations of one communicator begin
// in one order on all its ranks, so an operation waits for older ones only.
#pragma once

#include <cstdint>
#include <map>

namespace stretto {

class Sequence {
 public:
  // Sets numbers aside for the messages of one operation, in a row; returns the first.
  std::uint64_t take(std::uint64_t messages) {
    const std::uint64_t first = next_;
    next_ += messages;
    return first;
  }

  // May `number` be posted where `width` numbers have tags of their own?
  [[nodiscard]] bool may_post(std::uint64_t number, std::uint64_t width) const {
    return number < first_unposted_ + width;
  }

  // It is posted now, or never will be.
  void post(std::uint64_t number) {
    if (number != first_unposted_) {
      add_ahead(number);
      return;
    }
    ++first_unposted_;
    const auto run = ahead_.begin();
    if (run == ahead_.end() || run->first != first_unposted_) return;
    first_unposted_ = run->second;
    ahead_.erase(run);
  }

 private:
  void add_ahead(std::uint64_t number) {
    auto behind = ahead_.upper_bound(number);
    if (behind != ahead_.begin()) {
      const auto before = std::prev(behind);
      if (before->second == number) {
        ++before->second;
        if (behind != ahead_.end() && behind->first == before->second) {
          before->second = behind->second;
          ahead_.erase(behind);
        }
        return;
      }
    }
    std::uint64_t end = number + 1;
    if (behind != ahead_.end() && behind->first == end) {
      end = behind->second;
      behind = ahead_.erase(behind);
    }
    ahead_.emplace_hint(behind, number, end);
  }

  std::uint64_t next_ = 0;
  std::uint64_t first_unposted_ = 0;
  // What was posted beyond it, as few runs: the first of each and the one behind its last.
  std::map<std::uint64_t, std::uint64_t> ahead_;
};

}  // namespace stretto
