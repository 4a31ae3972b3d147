// The last calls of a rank one by one, where they are asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stretto::intercept::profile {

// As it lies in the file rank-N.trace.
struct Event {
  std::int64_t enter;
  std::int64_t leave;
  std::int64_t bytes;
  std::int32_t site;
  std::int32_t thread;  // of those that call MPI, by their first call
};
static_assert(sizeof(Event) == 32);

class Trace {
 public:
  // From now on the last `most`; all memory it will ever need is taken here.
  void keep(std::size_t most) { events_.resize(most); }

  void add(const Event& event) {
    if (events_.empty()) return;
    events_[next_] = event;
    next_ = next_ + 1 == events_.size() ? 0 : next_ + 1;
    ++calls_;
  }

  // To be called once, when no more calls come: puts those that are kept in the order of their
  // ends.
  void finish() {
    if (calls_ < events_.size()) {
      events_.resize(calls_);
    } else {
      std::ranges::rotate(events_, events_.begin() + static_cast<std::ptrdiff_t>(next_));
    }
  }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  // That there were while it was on, the ones that are not kept included.
  [[nodiscard]] std::size_t calls() const { return calls_; }

 private:
  std::vector<Event> events_;
  std::size_t next_ = 0;
  std::size_t calls_ = 0;
};

// A small number that is this thread's own.
[[nodiscard]] std::int32_t thread_number();

}  // namespace stretto::intercept::profile
