#include "transport/shm/peer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <cstdlib>
#include <utility>

#include "base/log.hpp"
#include "transport/shm/pull.hpp"

namespace stretto::shm {
namespace {

// Pulled at a time: others are served in between.
const std::size_t kSegment = std::size_t{(::getenv("X_SEG") ? std::strtoul(::getenv("X_SEG"), nullptr, 0) : 256)} << 10;

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
      pulls_(ends.pulls) {}

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
  if (row.count <= eager_bytes() && waiting_.empty() && out_.fits(row.count)) {
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

// In their order: what waits keeps back what comes later.
void Peer::write_out() {
  while (!waiting_.empty()) {
    const auto& [frame, has_data] = waiting_.front();
    if (!has_data) {
      if (!out_.fits(0)) return;
      out_.put(frame);
    } else {
      const auto sent = find_sent(frame.id);
      if (frame.kind == Frame::Kind::chunk) {
        if (!write_chunks(*sent)) return;
      } else {
        if (!out_.fits(sent->row.count)) return;
        out_.put(frame, sent->row.bytes, sent->row.count);
      }
      done_.push_back({sent->token, 0});
      sent_.erase(sent);
    }
    waiting_.pop_front();
  }
}

// As much as there is room for; true where that was the last.
bool Peer::write_chunks(Sent& sent) {
  while (sent.gone < sent.row.count) {
    // Half of the ring at most: the reader empties one half while the other is filled.
    const std::size_t most = std::min(sent.row.count - sent.gone, out_.most() / 2);
    if (!out_.fits(most)) return false;
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
  if (is_offer && !fits) send_frame({.kind = Frame::Kind::taken, .id = frame.id}, false);
  if (!fits) return done_.push_back({by.token, packing_.truncated});
  by.row.count = frame.bytes;
  by.row.bytes = static_cast<std::byte*>(by.to.address);
  if (!by.to.plain && frame.bytes > 0) {
    by.row.own = std::make_unique_for_overwrite<std::byte[]>(frame.bytes);
    by.row.bytes = by.row.own.get();
  }
  if (!is_offer) {
    copy_out(data, by.row.bytes);
    return conclude(by, 0);
  }
  by.offer = frame;
  by.pulled = pulls_;
  if (!pulls_) send_frame({.kind = Frame::Kind::wanted, .id = frame.id}, false);
  moving_.push_back(std::move(by));
}

// All of it is in its row.
void Peer::conclude(const Received& by, int error) {
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
    case Frame::Kind::taken: {
      const auto sent = find_sent(frame.id);
      done_.push_back({sent->token, 0});
      sent_.erase(sent);
      return;
    }
    case Frame::Kind::wanted:
      return send_frame({.kind = Frame::Kind::chunk, .id = frame.id}, true);
    case Frame::Kind::chunk:
      return add_chunk(frame, data);
  }
}

void Peer::add_chunk(const Frame& frame, const Data& data) {
  const auto by = std::ranges::find_if(
      moving_, [&](const Received& each) { return each.offer.id == frame.id && !each.pulled; });
  copy_out(data, by->row.bytes + by->come);
  by->come += frame.bytes;
  if (by->come < by->row.count) return;
  conclude(*by, 0);
  moving_.erase(by);
}

void Peer::pull_some() {
  for (auto by = moving_.begin(); by != moving_.end();) {
    if (!by->pulled) {
      ++by;
      continue;
    }
    const std::size_t some = std::min(by->row.count - by->come, kSegment);
    const int refused =
        pull(pid_, by->offer.address + by->come, by->row.bytes + by->come, some);
    if (refused != 0) {
      say_refused(refused);
      pulls_ = by->pulled = false;
      by->come = 0;
      send_frame({.kind = Frame::Kind::wanted, .id = by->offer.id}, false);
      continue;
    }
    by->come += some;
    if (by->come < by->row.count) {
      ++by;
      continue;
    }
    send_frame({.kind = Frame::Kind::taken, .id = by->offer.id}, false);
    conclude(*by, 0);
    by = moving_.erase(by);
  }
}

void Peer::poll(std::vector<Transport::Completed>& completed) {
  while (in_.any()) {
    take(in_.front(), in_.data());
    in_.drop();
  }
  if (!moving_.empty()) pull_some();
  if (!waiting_.empty()) write_out();
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
