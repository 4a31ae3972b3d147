// The last calls of a rank one by one, where they are asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "intercept/shared/polling.hpp"

namespace stretto::intercept::profile {

// A call, or polls at one place, each right after the one before; as it lies in the file
// rank-N.trace.
struct TimedEvent {
  std::int64_t enter;
  std::int64_t leave;
  std::int64_t bytes;
  std::int32_t call_site;
  std::int32_t thread;  // of those that call MPI, by their first call
  std::int64_t calls = 1;
};
static_assert(sizeof(TimedEvent) == 40);

class EventLog {
 public:
  // From now on the last `most`; all memory it will ever need is taken here.
  void keep(std::size_t most) { events_.resize(most); }

  // A poll, which may find that nothing has happened yet, goes on where the one before ended: a
  // wait of milliseconds would take the place of 100,000 calls.
  void add(const TimedEvent& event, bool is_poll) {
    if (events_.empty()) return;
    ++calls_;
    if (is_poll && goes_on(event)) {
      newest_->leave = event.leave;
      newest_->bytes += event.bytes;
      ++newest_->calls;
      return;
    }
    newest_ = &events_[next_];
    *newest_ = event;
    next_ = next_ + 1 == events_.size() ? 0 : next_ + 1;
    has_all_places_taken_ |= next_ == 0;
  }

  // To be called once, when no more calls come: puts those that are kept in the order of their
  // ends.
  void finish() {
    if (!has_all_places_taken_) {
      events_.resize(next_);
    } else {
      std::ranges::rotate(events_, events_.begin() + static_cast<std::ptrdiff_t>(next_));
    }
  }
  [[nodiscard]] const std::vector<TimedEvent>& events() const { return events_; }
  // That there were while it was on, the ones that are not kept included.
  [[nodiscard]] std::int64_t calls() const { return calls_; }

 private:
  [[nodiscard]] bool goes_on(const TimedEvent& event) const {
    return newest_ != nullptr && newest_->call_site == event.call_site &&
           newest_->thread == event.thread && event.enter - newest_->leave < kAsksAgain;
  }

  std::vector<TimedEvent> events_;
  TimedEvent* newest_ = nullptr;
  std::size_t next_ = 0;
  bool has_all_places_taken_ = false;
  std::int64_t calls_ = 0;
};

// A small number that is this thread's own.
[[nodiscard]] std::int32_t thread_number();

}  // namespace stretto::intercept::profile
