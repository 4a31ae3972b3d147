// What a rank sends to another of its host (see peer.hpp).
#include <algorithm>
#include <atomic>
#include <utility>

#include "base/clock.hpp"
#include "transport/shm/peer.hpp"

namespace stretto::shm {
namespace {

// A sender that waits for its receiver copies the data once it has waited about as long as that
// takes: whenever the receiver comes it has then lost no more than twice the least.
constexpr std::int64_t kShortestWait = 20'000;  // ns
constexpr std::int64_t kCopiedInNs = 8;         // bytes

// Of a ring of 128 KiB an eighth at a time is faster than a quarter. Smaller ones, which are those
// of many ranks, have few lines for as many pieces.
constexpr std::size_t kChunk = std::size_t{16} << 10;

}  // namespace

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

int Peer::send(const Piece& data, int tag, Transport::Token token, bool is_blocking) {
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
  Sent sent{.token = token, .row = std::move(row), .frame = frame};
  if (sent.row.count > eager_bytes()) make_offer(sent, is_blocking);
  sent_.push_back(std::move(sent));
  send_frame(sent_.back().frame, frame.bytes <= eager_bytes());
  return 0;
}

// Where several wait for the same each would copy it by itself, and some may be late.
void Peer::make_offer(Sent& sent, bool is_blocking) {
  sent.frame.kind = Frame::Kind::offer;
  sent.frame.address = reinterpret_cast<std::uint64_t>(sent.row.bytes);
  sent.frame.word = free_word();
  if (sent.frame.word == 0) return;
  sent.offered_ns = now_ns();
  OfferWord& word = word_of(offers_out_, sent.frame);
  const SendBuffer::Data data = data_of(sent);
  sent.is_buffered =
      is_blocking && send_buffer_.is_sent_again(data) && send_buffer_.put(data, word, kFreeWord);
  if (!sent.is_buffered) word.store(sent.frame.address, std::memory_order_relaxed);
}

// From 1 on; 0: there is none. The receiver frees those of data that were buffered, perhaps before
// this rank has seen that their offer has gone.
std::uint64_t Peer::free_word() const {
  for (std::uint64_t word = 1; word <= OfferWords::kNumber; ++word) {
    const bool is_free = offers_out_.all[word - 1].load(std::memory_order_acquire) == kFreeWord;
    const auto has = [word](const Sent& sent) { return sent.frame.word == word; };
    if (is_free && std::ranges::none_of(sent_, has)) return word;
  }
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
  if (sent->frame.word != 0) {
    word_of(offers_out_, sent->frame).store(kFreeWord, std::memory_order_relaxed);
  }
  done_.push_back({sent->token, 0});
  sent_.erase(sent);
}

// Is there a copy already, or is it time for one?
bool Peer::may_buffer(const Sent& sent, bool waits, std::int64_t now) const {
  if (sent.frame.word == 0 || sent.is_buffered) return false;
  if (word_of(offers_out_, sent.frame).load(std::memory_order_relaxed) == kClaimed) return false;
  if (send_buffer_.has(data_of(sent))) return true;
  const auto least = kShortestWait + static_cast<std::int64_t>(sent.row.count) / kCopiedInNs;
  return waits && now - sent.offered_ns > least;
}

// Once the offer of what is buffered has gone the rest is the receiver's.
void Peer::leave_buffered() {
  const bool waits = attend_[0]->load(std::memory_order_relaxed) != 0;
  const std::int64_t now = now_ns();
  std::erase_if(sent_, [&](Sent& sent) {
    if (may_buffer(sent, waits, now)) {
      OfferWord& word = word_of(offers_out_, sent.frame);
      sent.is_buffered = send_buffer_.put(data_of(sent), word, sent.frame.address);
    }
    const auto offers = [&sent](const Waiting& each) {
      return each.frame.kind == Frame::Kind::offer && each.frame.id == sent.frame.id;
    };
    if (!sent.is_buffered || std::ranges::any_of(waiting_, offers)) return false;
    done_.push_back({sent.token, 0});
    return true;
  });
}

// As much as there is room for; true where that was the last.
bool Peer::write_chunks(Sent& sent) {
  while (sent.gone < sent.row.count) {
    // A part of the ring: the reader empties one while the next is filled.
    const std::size_t most = std::min({sent.row.count - sent.gone, out_.most() / 4, kChunk});
    if (!out_.fits(Frame::Kind::chunk, most)) return false;
    out_.put({.kind = Frame::Kind::chunk, .bytes = most, .id = sent.frame.id},
             sent.row.bytes + sent.gone, most);
    sent.gone += most;
    has_moved_ = true;
  }
  return true;
}

}  // namespace stretto::shm
