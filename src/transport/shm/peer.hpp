// What goes on between this rank and one other of its host.
//
// A short message is copied into the ring. Of a long one an offer goes there, which whoever
// receives it answers: that it has taken the data from the sender's memory, or, where that is
// refused, that it wants them by the ring, where they then come in chunks. A sender that waits in
// vain, or has the same for others, too, leaves a copy in its send buffer and needs no answer.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/doorbell.hpp"
#include "transport/shm/copy_limit.hpp"
#include "transport/shm/ring.hpp"
#include "transport/shm/send_buffer.hpp"
#include "transport/transport.hpp"

namespace stretto::shm {

// How data that have gaps, or an order of their own, become a row of bytes, and back.
struct Packing {
  // Copies data of one signature. Returns an MPI error code.
  int (*copy)(const Piece& from, const Piece& to) = nullptr;
  Opaque packed{};    // the type that means bytes of such a row
  int truncated = 0;  // the error of a message longer than who receives it has room for
  int cancelled = 0;  // of a receive that was given up
};

class Peer {
 public:
  struct Ends {
    std::byte* out = nullptr;  // the ring to it
    std::byte* in = nullptr;
    RingSize size;
    OfferWords* offers_out = nullptr;
    OfferWords* offers_in = nullptr;
    SendBuffer* send_buffer = nullptr;        // of this rank
    const std::byte* buffer_there = nullptr;  // the other's
    pid_t pid = 0;
    bool pulls = false;  // its memory may be read
    // Do this rank and the other poll all the time now?
    std::array<const std::atomic<std::uint32_t>*, 2> attend{};
    Doorbell* doorbell = nullptr;  // the other's
  };
  Peer(const Packing& packing, const Ends& ends);
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Each returns an MPI error code.
  int send(const Piece& data, int tag, Transport::Token token, bool is_blocking = false);
  int receive(const Piece& data, int tag, Transport::Token token, bool written_anew = false,
              Transport::Follower* follower = nullptr);
  // Moves things along; adds what is complete.
  // Returns whether a part of a long message has moved, which need not be complete.
  bool poll(std::vector<Transport::Completed>& completed);
  void cancel_receives(const void* owner);
  void add_in_flight(std::vector<Transport::Token>& tokens) const;
  // Frames, and data to go in chunks, for which there was no room.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size() + wanted_.size(); }
  // Is there nothing that a poll could move along? What comes unasked for may stay in the ring.
  [[nodiscard]] bool is_quiet() const {
    return posted_.empty() && moving_.empty() && sent_.empty() && done_.empty() && waiting() == 0;
  }
  // Does the other poll all the time now?
  [[nodiscard]] bool is_attending() const {
    return attend_[1]->load(std::memory_order_relaxed) != 0;
  }
  // Wakes the other, where it listens.
  void ring_doorbell() const { doorbell_->ring_listener(); }
  // What is faster where both poll all the time.
  void copy_as(const Copying& copying) { copying_ = copying; }
  // After a poll of all: who hears of what is complete may change the data.
  void forget_copies() { send_buffer_.forget_latest(); }
  bool is_polled = false;  // by its owner

 private:
  // Data as a row of bytes: where they lie, or packed.
  struct Row {
    std::byte* bytes = nullptr;
    std::size_t count = 0;
    std::unique_ptr<std::byte[]> own{};
  };
  // A message of ours, until its data are the program's again.
  struct Sent {
    Transport::Token token;
    Row row;
    Frame frame;
    std::size_t gone = 0;  // of its bytes, in chunks
    std::int64_t offered_ns = 0;
    bool is_buffered = false;
  };
  // A frame that found no room; with data where they are those of a message of ours.
  struct Waiting {
    Frame frame;
    bool has_data = false;
  };
  struct Received {
    Transport::Token token;
    Piece to;
    int tag = 0;
    Row row{};
    Frame offer{};
    std::int64_t offered_ns = 0;
    std::size_t come = 0;  // of its bytes
    bool wanted = false;   // in chunks
    bool is_claimed = false;
    bool written_anew = false;
    Transport::Follower* follower = nullptr;
    bool was_buffered = false;  // by the sender, who awaits no answer
    int error = 0;              // why it gets none
  };
  // How a long message comes that its sender has not buffered.
  enum class Way : std::uint8_t { pulled, wanted, later };
  // One that nobody has asked for yet.
  struct Early {
    Frame frame;
    std::array<std::byte, FrameLine::kInline> few{};  // its data, or, of more,
    std::vector<std::byte> many{};
    std::size_t count = 0;

    [[nodiscard]] std::byte* data() { return many.empty() ? few.data() : many.data(); }
  };

  [[nodiscard]] std::size_t eager_bytes() const { return out_.most() / 4; }
  int make_row(const Piece& data, Row& row) const;
  [[nodiscard]] std::vector<Sent>::iterator find_sent(std::uint64_t id);
  void send_frame(const Frame& frame, bool has_data);
  void write_out();
  bool write_chunks(Sent& sent);
  void take(const Frame& frame, const Data& data);
  void accept(Received by, const Frame& frame, const Data& data);
  void add_chunk(const Frame& frame, const Data& data);
  void complete(std::vector<Sent>::iterator sent);
  void make_offer(Sent& sent, bool is_blocking);
  [[nodiscard]] std::uint64_t free_word() const;
  [[nodiscard]] static OfferWord& word_of(OfferWords& words, const Frame& offer) {
    return words.all[offer.word - 1];
  }
  [[nodiscard]] static SendBuffer::Data data_of(const Sent& sent) {
    return {sent.token.owner, sent.row.bytes, sent.row.count};
  }
  [[nodiscard]] bool may_buffer(const Sent& sent, bool waits, std::int64_t now) const;
  void leave_buffered();
  bool claim(Received& by);
  bool take_buffered(Received& by);
  void want(Received& by);
  [[nodiscard]] Way way_of(const Received& by) const;
  bool answer(Received& taken);
  bool pull_more(Received& by);
  void pull_some();
  static void follow(Received& by);
  void conclude(const Received& by);

  Packing packing_;
  FrameWriter out_;
  FrameReader in_;
  OfferWords& offers_out_;
  OfferWords& offers_in_;
  SendBuffer& send_buffer_;
  const std::byte* buffer_there_;
  pid_t pid_;
  bool pulls_;
  Copying copying_;
  std::array<const std::atomic<std::uint32_t>*, 2> attend_;
  Doorbell* doorbell_;
  std::uint64_t next_id_ = 0;
  std::vector<Sent> sent_;
  std::deque<Waiting> waiting_;       // in the order in which they are to go
  std::deque<std::uint64_t> wanted_;  // offers whose data are to go in chunks, in their order
  std::vector<Received> posted_;      // in the order in which they were
  std::vector<Received> moving_;      // long messages that have begun to come
  std::deque<Early> early_;
  std::vector<Transport::Completed> done_;  // and not handed back yet
  bool has_moved_ = false;                  // a part of a long message, since the last poll began
};

}  // namespace stretto::shm
