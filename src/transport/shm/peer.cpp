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
      pid_(ends.pid),
      pulls_(ends.pulls),
      copies_(ends.copies),
      attend_(ends.attend) {}

// The data of what is sent, packed where they need be.
int Peer::make_row(const Piece& data, Row& row) const {
  row.count = static_cast<std::size_t>(data.bytes);
  row.bytes = static_cast<std::byte*>(data.address);
  if (data.plain || row.count == 0) return 0;
  row.own = std::make_unique_for_overwrite<std::byte[]>(row.count);
  row.bytes = row.own.get();
  return packing_.copy(data, {.address = row.bytes,
                              .count = data.bytes,
                              .type = packing_.packed,
                              .bytes = data.bytes,
                              .plain = true});
}

int Peer::send(const Piece& data, int tag, Transport::Token token) {
  Row row;
  if (const int error = make_row(data, row); error != 0) return error;
  Frame frame{.kind = Frame::Kind::message, .tag = tag, .bytes = row.count};
  if (row.count <= eager_bytes() && waiting_.empty() &&
      out_.fits(Frame::Kind::message, row.count)) {
    out_.put(frame, row.bytes, row.count);
    done_.push_back({token, 0});
    return 0;
  }
  frame.id = next_id_++;
  if (row.count > eager_bytes()) {
    frame.kind = Frame::Kind::offer;
    frame.address = reinterpret_cast<std::uint64_t>(row.bytes);
  }
  sent_.push_back({token, std::move(row), frame});
  send_frame(frame, frame.kind == Frame::Kind::message);
  return 0;
}

std::vector<Peer::Sent>::iterator Peer::find_sent(std::uint64_t id) {
  return std::ranges::find_if(sent_, [id](const Sent& each) { return each.frame.id == id; });
}

void Peer::send_frame(const Frame& frame, bool has_data) {
  waiting_.push_back({frame, has_data});
  write_out();
}

// Frames in their order, and before chunks: an answer that waited for those would keep both ranks
// from sending theirs at the same time.
void Peer::write_out() {
  while (!waiting_.empty()) {
    const auto& [frame, has_data] = waiting_.front();
    if (has_data) {
      const auto sent = find_sent(frame.id);
      if (!out_.fits(Frame::Kind::message, sent->row.count)) return;
      out_.put(frame, sent->row.bytes, sent->row.count);
      complete(sent);
    } else {
      if (!out_.fits(frame.kind)) return;
      out_.put(frame);
    }
    waiting_.pop_front();
  }
  while (!wanted_.empty()) {
    const auto sent = find_sent(wanted_.front());
    if (!write_chunks(*sent)) return;
    complete(sent);
    wanted_.pop_front();
  }
}

void Peer::complete(std::vector<Sent>::iterator sent) {
  done_.push_back({sent->token, 0});
  sent_.erase(sent);
}

// As much as there is room for; true where that was the last.
bool Peer::write_chunks(Sent& sent) {
  while (sent.gone < sent.row.count) {
    // A part of the ring: the reader empties one while the next is filled.
    const std::size_t most = std::min(sent.row.count - sent.gone, out_.most() / 4);
    if (!out_.fits(Frame::Kind::chunk, most)) return false;
    out_.put({.kind = Frame::Kind::chunk, .bytes = most, .id = sent.frame.id},
             sent.row.bytes + sent.gone, most);
    sent.gone += most;
  }
  return true;
}

int Peer::receive(const Piece& data, int tag, Transport::Token token) {
  Received by{.token = token, .to = data, .tag = tag};
  const auto early =
      std::ranges::find_if(early_, [tag](const Early& each) { return each.frame.tag == tag; });
  if (early == early_.end()) {
    posted_.push_back(std::move(by));
    return 0;
  }
  const Early come = std::move(*early);
  early_.erase(early);
  accept(std::move(by), come.frame, {std::span(come.data), {}});
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
        Early& early = early_.emplace_back(Early{frame, {}});
        early.data.resize(data[0].size() + data[1].size());
        copy_out(data, early.data.data());
        return;
      }
      Received taken = std::move(*by);
      posted_.erase(by);
      return accept(std::move(taken), frame, data);
    }
    case Frame::Kind::taken:
      return complete(find_sent(frame.id));
    case Frame::Kind::wanted:
      wanted_.push_back(frame.id);
      return write_out();
    case Frame::Kind::chunk:
      return add_chunk(frame, data);
  }
}

void Peer::add_chunk(const Frame& frame, const Data& data) {
  const auto by = std::ranges::find_if(
      moving_, [&](const Received& each) { return each.offer.id == frame.id && each.wanted; });
  copy_out(data, by->row.bytes + by->come);
  by->come += frame.bytes;
  if (by->come < by->row.count) return;
  conclude(*by);
  moving_.erase(by);
}

void Peer::want(Received& by) {
  by.wanted = true;
  by.come = 0;
  send_frame({.kind = Frame::Kind::wanted, .id = by.offer.id}, false);
}

// Whether to pull it now. Where to copy twice is faster, as long as both do nothing else, the other
// gets a little time to come to that.
bool Peer::may_pull(Received& by) {
  if (!pulls_) {
    want(by);
    return false;
  }
  const bool attends = copies_ && attend_[0]->load(std::memory_order_relaxed) != 0;
  if (by.come > 0 || !attends) return true;
  if (is_attending()) {
    want(by);
    return false;
  }
  return std::cmp_greater(now_ns() - by.offered_ns, by.row.count / kPatience);
}

// Says that the sender may change its data; false where there is no room for that yet. Until it is
// said the receive is not complete: who has nothing under way polls no more.
bool Peer::answer(const Received& taken) {
  write_out();
  if (!waiting_.empty() || !out_.fits(Frame::Kind::taken)) return false;
  out_.put({.kind = Frame::Kind::taken, .id = taken.offer.id});
  return true;
}

// Pulls some of it; is there nothing more to pull?
bool Peer::pull_more(Received& by) {
  if (by.come == by.row.count) return true;
  if (!may_pull(by)) return false;
  const std::size_t some = std::min(by.row.count - by.come, kSegment);
  const int refused = pull(pid_, by.offer.address + by.come, by.row.bytes + by.come, some);
  if (refused != 0) {
    say_refused(refused);
    pulls_ = false;
    want(by);
    return false;
  }
  by.come += some;
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

void Peer::poll(std::vector<Transport::Completed>& completed) {
  while (in_.any()) {
    take(in_.front(), in_.data());
    in_.drop();
  }
  if (!moving_.empty()) pull_some();
  if (waiting() > 0) write_out();
  completed.insert(completed.end(), done_.begin(), done_.end());
  done_.clear();
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
