#include "intercept/profile/messages.hpp"

#include <algorithm>

#include "intercept/profile/sampling.hpp"

namespace stretto::intercept::profile {
namespace {

constexpr std::int32_t kAllOtherTags = -1;  // no message has it

}  // namespace

std::size_t MessageRecorder::Hash::operator()(const Key& key) const {
  const auto low = [](std::int32_t value) {
    return std::size_t{static_cast<std::uint32_t>(value)};
  };
  const std::size_t who = (low(key.peer) << 32 | low(key.tag)) * 0x9e3779b97f4a7c15;
  return (who ^ (low(key.comm) << 2 | low(key.role))) * 0xbf58476d1ce4e5b9;
}

std::int64_t MessageRecorder::number(const ProfiledMessage& message) {
  if (message.role == ProfiledMessage::Role::awaited) {
    // The one after those that are there.
    ProfiledMessage next = message;
    next.role = ProfiledMessage::Role::received;
    return count_of(next).messages;
  }
  Count& count = count_of(message);
  count.bytes += message.bytes;
  return count.messages++;
}

MessageRecorder::Count& MessageRecorder::count_of(const ProfiledMessage& message) {
  Key key{message.comm, message.peer, message.tag, static_cast<std::int32_t>(message.role)};
  if (const auto found = channels_.find(key); found != channels_.end()) return found->second;
  // A program may have a tag for each message: with whom is counted still.
  if (channels_.size() >= kMostChannels) key.tag = kAllOtherTags;
  return channels_[key];
}

// Those with a number that is not kept are counted in `messages` still, so it shows that they lack.
bool MessageRecorder::end_call(std::int64_t enter, std::int64_t leave, int call_site, int others) {
  if (of_this_call_.empty()) return false;
  // Receives that one call completes were matched in the order in which they were posted.
  if (of_this_call_.size() > 1) std::ranges::sort(of_this_call_, {}, &BegunMessage::order);
  const auto messages = static_cast<std::int32_t>(of_this_call_.size()) + others;
  for (BegunMessage& each : of_this_call_) {
    if (each.message.role != ProfiledMessage::Role::sent) each.number = number(each.message);
    add({.begin = each.begin,
         .enter = enter,
         .leave = leave,
         .number = each.number,
         .call = calls_,
         .comm = each.message.comm,
         .peer = each.message.peer,
         .tag = each.message.tag,
         .call_site = call_site,
         .messages = messages,
         .role = static_cast<std::int32_t>(each.message.role)});
  }
  ++calls_;
  of_this_call_.clear();
  return true;
}

void MessageRecorder::abandon(const BegunMessage& begun) {
  add({.begin = begun.begin,
       .enter = begun.begin,
       .leave = begun.begin,
       .number = begun.number,
       .call = -1,
       .comm = begun.message.comm,
       .peer = begun.message.peer,
       .tag = begun.message.tag,
       .call_site = -1,
       .messages = 1,
       .role = static_cast<std::int32_t>(begun.message.role)});
}

namespace {

// By what both sides know of a message: where each has a tag of its own all have number 0.
bool is_row_kept(const MessageRow& row, std::int64_t stride) {
  constexpr std::int64_t kTags = std::int64_t{1} << 32;
  return is_kept(row.tag * kTags + row.number, stride);
}

}  // namespace

void MessageRecorder::add(const MessageRow& row) {
  if (!is_row_kept(row, stride_)) return;
  rows_.push_back(row);
  if (rows_.size() < most_) return;
  stride_ *= 2;
  std::erase_if(rows_, [&](const MessageRow& each) { return !is_row_kept(each, stride_); });
}

std::vector<ChannelRow> MessageRecorder::channels() const {
  std::vector<ChannelRow> rows;
  rows.reserve(channels_.size());
  for (const auto& [key, count] : channels_) {
    rows.push_back({key.comm, key.peer, key.tag, key.role, count.messages, count.bytes});
  }
  return rows;
}

}  // namespace stretto::intercept::profile
