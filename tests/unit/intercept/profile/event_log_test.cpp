// The trace keeps the last calls, and polls in a row as one event.
#include "intercept/profile/event_log.hpp"

#include <gtest/gtest.h>

namespace stretto::intercept::profile {
namespace {

enum { kWaits, kPolls };

TimedEvent at(std::int64_t enter, std::int32_t call_site = kPolls, std::int32_t thread = 0) {
  return {
      .enter = enter, .leave = enter + 10, .bytes = 1, .call_site = call_site, .thread = thread};
}

TEST(EventLog, PollsInARowAreOneEvent) {
  EventLog trace;
  trace.keep(3);
  for (int i = 0; i < 1000; ++i) trace.add(at(i * 100), true);
  trace.finish();
  ASSERT_EQ(trace.events().size(), 1);
  const TimedEvent& all = trace.events()[0];
  EXPECT_EQ(all.enter, 0);
  EXPECT_EQ(all.leave, 99'910);
  EXPECT_EQ(all.calls, 1000);
  EXPECT_EQ(all.bytes, 1000);
  EXPECT_EQ(trace.calls(), 1000);
}

TEST(EventLog, WhatIsBetweenTwoPollsParts) {
  const auto events_with = [](const TimedEvent& second, bool is_poll) {
    EventLog trace;
    trace.keep(10);
    trace.add(at(0), true);
    trace.add(second, is_poll);
    trace.finish();
    return trace.events().size();
  };
  EXPECT_EQ(events_with(at(10 + kAsksAgain - 1), true), 1);
  EXPECT_EQ(events_with(at(10 + kAsksAgain), true), 2) << "the program computes";
  EXPECT_EQ(events_with(at(20), false), 2) << "each call that is none is by itself";
  EXPECT_EQ(events_with(at(20, kWaits), true), 2) << "at another place";
  EXPECT_EQ(events_with(at(20, kPolls, 1), true), 2) << "of another thread";
}

TEST(EventLog, KeepsTheLastEvents) {
  for (const int calls : {1, 2, 3, 4, 5, 6, 7}) {
    EventLog trace;
    trace.keep(3);
    for (int i = 0; i < calls; ++i) {
      trace.add(at(i * 100, kWaits), false);
      trace.add(at(i * 100 + 20), true);
      trace.add(at(i * 100 + 40), true);
    }
    trace.finish();
    const auto& events = trace.events();
    ASSERT_EQ(events.size(), std::min(3, 2 * calls));
    EXPECT_EQ(trace.calls(), 3 * calls);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto from_last = static_cast<std::int64_t>(events.size() - 1 - i);
      const bool is_poll = from_last % 2 == 0;
      EXPECT_EQ(events[i].calls, is_poll ? 2 : 1);
      EXPECT_EQ(events[i].enter, (calls - 1 - from_last / 2) * 100 + (is_poll ? 20 : 0));
    }
  }
}

TEST(EventLog, KeepsNothingWhereNobodyAsks) {
  EventLog trace;
  trace.add(at(0), true);
  trace.finish();
  EXPECT_TRUE(trace.events().empty());
  EXPECT_EQ(trace.calls(), 0);
}

}  // namespace
}  // namespace stretto::intercept::profile
