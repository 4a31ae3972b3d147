#include "transport/shm/peer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "transport/shm/pull.hpp"

namespace stretto::shm {
namespace {

// Pulled at a time: others are served in between.
constexpr std::size_t kSegment = std::size_t{1} << 20;
// Of it, where somebody follows: so little that it is still in the cache then.
constexpr std::size_t kFollowedSegment = std::size_t{128} << 10;

// Bytes for each ns that the sender gets: a quarter of the time it takes to pull them, or so.
constexpr std::size_t kPatience = 40;

void copy_out(const Data& data, std::byte* to) {
  for (const auto part : data) {
    if (part.empty()) continue;
    std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
}

// Once a process: each of its peers may be refused.
void say_refused(int why) {
  static constinit std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  say("the kernel refuses to read another rank's memory (%s): long messages are copied twice",
      ::strerrordesc_np(why));
}

}  // namespace

Peer::Peer(const Packing& packing, const Ends& ends)
    : packing_(packing),
      out_(ends.out, ends.size),
      in_(ends.in, ends.size),
      offers_out_(*ends.offers_out),
      offers_in_(*ends.offers_in),
      send_buffer_(*ends.send_buffer),
      buffer_there_(ends.buffer_there),
      pid_(ends.pid),
      pulls_(ends.pulls),
      attend_(ends.attend),
      doorbell_(ends.doorbell) {}

int Peer::receive(const Piece& data, int tag, Transport::Token token, bool written_anew,
                  Transport::Follower* follower) {
  Received by{.token = token,
              .to = data,
              .tag = tag,
              .written_anew = written_anew,
              .follower = data.plain ? follower : nullptr};
  const auto early =
      std::ranges::find_if(early_, [tag](const Early& each) { return each.frame.tag == tag; });
  if (early == early_.end()) {
    posted_.push_back(std::move(by));
    return 0;
  }
  accept(std::move(by), early->frame, {std::span(early->data(), early->count), {}});
  early_.erase(early);
  return 0;
}

// A message, or an offer of one, and who asks for it.
void Peer::accept(Received by, const Frame& frame, const Data& data) {
  const bool is_offer = frame.kind == Frame::Kind::offer;
  const bool fits = std::cmp_less_equal(frame.bytes, by.to.bytes);
  if (!fits) {
    by.error = packing_.truncated;
    if (!is_offer) return conclude(by);
    by.offer = frame;
    return moving_.push_back(std::move(by));
  }
  by.row.count = frame.bytes;
  by.row.bytes = static_cast<std::byte*>(by.to.address);
  if (!by.to.plain && frame.bytes > 0) {
    by.row.own = std::make_unique_for_overwrite<std::byte[]>(frame.bytes);
    by.row.bytes = by.row.own.get();
  }
  if (!is_offer) {
    copy_out(data, by.row.bytes);
    return conclude(by);
  }
  by.offer = frame;
  by.offered_ns = now_ns();
  moving_.push_back(std::move(by));
}

// All of it is in its row, or it has failed.
void Peer::conclude(const Received& by) {
  int error = by.error;
  if (error == 0 && by.row.own != nullptr) {
    const auto bytes = static_cast<Count>(by.row.count);
    error = packing_.copy({.address = by.row.bytes,
                           .count = bytes,
                           .type = packing_.packed,
                           .bytes = bytes,
                           .plain = true},
                          by.to);
  }
  done_.push_back({by.token, error});
}

void Peer::take(const Frame& frame, const Data& data) {
  switch (frame.kind) {
    case Frame::Kind::message:
    case Frame::Kind::offer: {
      const auto by = std::ranges::find_if(
          posted_, [&](const Received& each) { return each.tag == frame.tag; });
      if (by == posted_.end()) {
        Early& early = early_.emplace_back(Early{.frame = frame});
        early.count = data[0].size() + data[1].size();
        if (early.count > early.few.size()) early.many.resize(early.count);
        copy_out(data, early.data());
        return;
      }
      Received taken = std::move(*by);
      posted_.erase(by);
      return accept(std::move(taken), frame, data);
    }
    case Frame::Kind::taken:
      return complete(find_sent(frame.id));
    case Frame::Kind::wanted:
      find_sent(frame.id)->gone = frame.bytes;
      wanted_.push_back(frame.id);
      return write_out();
    case Frame::Kind::chunk:
      return add_chunk(frame, data);
  }
}

void Peer::add_chunk(const Frame& frame, const Data& data) {
  const auto by = std::ranges::find_if(
      moving_, [&](const Received& each) { return each.offer.id == frame.id && each.wanted; });
  // Not what goes round the ring's end.
  const bool may_be_taken = by->follower != nullptr && by->error == 0 && data[1].empty();
  if (!may_be_taken || !by->follower->take(by->token.step, by->come, data[0])) {
    copy_out(data, by->row.bytes + by->come);
  }
  by->come += frame.bytes;
  has_moved_ = true;
  if (by->come < by->row.count) return follow(*by);
  conclude(*by);
  moving_.erase(by);
}

// Somebody follows, perhaps. What comes last is no news: the message is complete then.
void Peer::follow(Received& by) {
  if (by.follower == nullptr || by.error != 0 || by.come == by.row.count) return;
  by.error = by.follower->come(by.token.step, by.come);
}

// Before the sender's memory is read, or the sender asked: from then on it may not buffer the data.
// False where it has.
bool Peer::claim(Received& by) {
  if (by.offer.word == 0 || by.is_claimed) return true;
  std::uint64_t is = by.offer.address;
  by.is_claimed = word_of(offers_in_, by.offer)
                      .compare_exchange_strong(is, kClaimed, std::memory_order_acq_rel);
  return by.is_claimed;
}

// True where the sender has left a copy, which is here now.
bool Peer::take_buffered(Received& by) {
  if (by.offer.word == 0 || by.is_claimed) return false;
  OfferWord& word = word_of(offers_in_, by.offer);
  const std::uint64_t is = word.load(std::memory_order_acquire);
  if ((is & kBuffered) == 0) return false;
  std::memcpy(by.row.bytes, buffer_there_ + (is & ~kBuffered), by.row.count);
  word.store(kFreeWord, std::memory_order_release);
  by.come = by.row.count;
  by.was_buffered = true;
  return true;
}

// The rest of it: what has come may have been used, and be something else by now.
void Peer::want(Received& by) {
  by.wanted = true;
  send_frame({.kind = Frame::Kind::wanted, .bytes = by.come, .id = by.offer.id}, false);
}

// Where to copy twice is faster, as long as both do nothing else, the other gets a little time to
// come to that.
Peer::Way Peer::way_of(const Received& by) const {
  if (!pulls_) return Way::wanted;
  const bool attends = attend_[0]->load(std::memory_order_relaxed) != 0;
  const std::size_t below = by.written_anew ? copying_.anew_below : copying_.below;
  if (by.come > 0 || !attends || by.row.count >= below) return Way::pulled;
  if (is_attending()) return Way::wanted;
  const bool is_late = std::cmp_greater(now_ns() - by.offered_ns, by.row.count / kPatience);
  return is_late ? Way::pulled : Way::later;
}

// Says that the sender may change its data; false where there is no room for that yet. Until it is
// said the receive is not complete: who has nothing under way polls no more.
bool Peer::answer(Received& taken) {
  if (taken.was_buffered) return true;
  write_out();
  if (!waiting_.empty() || !out_.fits(Frame::Kind::taken)) return false;
  // One that was too long has not been looked at yet.
  if (!claim(taken)) {
    word_of(offers_in_, taken.offer).store(kFreeWord, std::memory_order_release);
    return true;
  }
  out_.put({.kind = Frame::Kind::taken, .id = taken.offer.id});
  return true;
}

// Takes some of it; is there nothing more to take?
bool Peer::pull_more(Received& by) {
  if (by.come == by.row.count || take_buffered(by)) return true;
  const Way way = way_of(by);
  if (way == Way::later) return false;
  if (!claim(by)) return take_buffered(by);
  if (way == Way::wanted) {
    want(by);
    return false;
  }
  const std::size_t until = std::min(by.row.count, by.come + kSegment);
  const std::size_t most = by.follower == nullptr ? kSegment : kFollowedSegment;
  while (by.come < until) {
    const std::size_t some = std::min(until - by.come, most);
    const int refused = pull(pid_, by.offer.address + by.come, by.row.bytes + by.come, some);
    if (refused != 0) {
      say_refused(refused);
      pulls_ = false;
      want(by);
      return false;
    }
    by.come += some;
    has_moved_ = true;
    follow(by);
  }
  return by.come == by.row.count;
}

void Peer::pull_some() {
  for (auto by = moving_.begin(); by != moving_.end();) {
    if (by->wanted || !pull_more(*by) || !answer(*by)) {
      ++by;
      continue;
    }
    conclude(*by);
    by = moving_.erase(by);
  }
}

bool Peer::poll(std::vector<Transport::Completed>& completed) {
  has_moved_ = false;
  while (in_.any()) {
    if (copying_.takes_lines) in_.take_lines();
    take(in_.front(), in_.data());
    in_.drop();
  }
  if (!moving_.empty()) pull_some();
  if (waiting() > 0) write_out();
  if (!sent_.empty()) leave_buffered();
  completed.insert(completed.end(), done_.begin(), done_.end());
  done_.clear();
  return has_moved_;
}

void Peer::cancel_receives(const void* owner) {
  std::erase_if(posted_, [&](const Received& each) {
    if (each.token.owner != owner) return false;
    done_.push_back({each.token, packing_.cancelled});
    return true;
  });
}

void Peer::add_in_flight(std::vector<Transport::Token>& tokens) const {
  for (const Sent& each : sent_) tokens.push_back(each.token);
  for (const auto* all : {&posted_, &moving_}) {
    for (const Received& each : *all) tokens.push_back(each.token);
  }
  for (const Transport::Completed& each : done_) tokens.push_back(each.token);
}

}  // namespace stretto::shm
