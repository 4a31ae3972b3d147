// Point-to-point messages, with when either side began: from those of all ranks follows who waited
// for whom, and who sends how much to whom.
//
// Nothing is sent for that. The k-th message that a rank sends to another with a tag is the k-th
// that the other gets from it with that tag (messages do not overtake each other), so both sides
// number them alike.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mpi/native.hpp"

namespace stretto::intercept::profile {

// One side of a message, as a call has it in its arguments.
struct ProfiledMessage {
  enum class Role : std::uint8_t {
    none,
    sent,
    received,
    awaited,   // by MPI_Probe: it is there, and another call gets it
    trivial,   // nobody is waited for: it goes nowhere, or was there before
    accessed,  // no message: an access to the other's memory (MPI_Put and its kind)
  };
  Role role = Role::none;
  int comm = -1;  // index in CallRecorder::comms()
  int peer = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  std::int64_t bytes = 0;

  // A receive of any source or tag: its status says whose it was.
  [[nodiscard]] bool is_open() const {
    return (role == Role::received || role == Role::awaited) &&
           (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
  }
  // Now it is known whose it is.
  void settle(const MPI_Status& status) {
    peer = status.MPI_SOURCE;
    tag = status.MPI_TAG;
    if (peer == MPI_PROC_NULL) role = Role::trivial;
  }
};

// A message that is on its way, or wanted.
struct BegunMessage {
  ProfiledMessage message{};
  std::int64_t begin = 0;   // of the call that sends it, or posts its receive
  std::int64_t number = 0;  // of a sent one
  std::int64_t order = 0;   // of the rank's requests
};

// One side of a message and the call in which it was complete; as it lies in the file
// rank-N.messages.
struct MessageRow {
  std::int64_t begin;
  std::int64_t enter;  // of the call in which it was complete
  std::int64_t leave;
  std::int64_t number;  // of the channel's messages
  std::int64_t call;    // that call, of those of this rank that messages were complete in; or -1
  std::int32_t comm;
  std::int32_t peer;  // a rank of the communicator
  std::int32_t tag;
  std::int32_t call_site;  // of that call; -1: none waited for it
  std::int32_t messages;   // that were complete in that call
  std::int32_t role;
};
static_assert(sizeof(MessageRow) == 64);

// All messages of a rank to another, or from it, with one tag; as it lies in the file
// rank-N.channels.
struct ChannelRow {
  std::int32_t comm;
  std::int32_t peer;
  std::int32_t tag;
  std::int32_t role;
  std::int64_t messages;
  std::int64_t bytes;
};
static_assert(sizeof(ChannelRow) == 32);

class MessageRecorder {
 public:
  // Of so many a rank keeps rows; beyond, of half of them, and so on.
  void open(std::size_t most) { most_ = most; }

  // One more in its channel: its number.
  std::int64_t number(const ProfiledMessage& message);
  // It was complete in the call that ends next.
  void complete(const BegunMessage& begun) { of_this_call_.push_back(begun); }
  // The call that those were complete in, with so many others of which nothing is known; false
  // where there were none.
  bool end_call(std::int64_t enter, std::int64_t leave, int call_site, int others);
  // Sent, and nobody waits for it.
  void abandon(const BegunMessage& begun);

  [[nodiscard]] const std::vector<MessageRow>& rows() const { return rows_; }
  [[nodiscard]] std::vector<ChannelRow> channels() const;

 private:
  struct Key {
    std::int32_t comm;
    std::int32_t peer;
    std::int32_t tag;
    std::int32_t role;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Count {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
  };

  Count& count_of(const ProfiledMessage& message);
  void add(const MessageRow& row);

  static constexpr std::size_t kMostChannels = std::size_t{1} << 16;

  std::unordered_map<Key, Count, Hash> channels_;
  std::vector<BegunMessage> of_this_call_;
  std::vector<MessageRow> rows_;
  std::int64_t calls_ = 0;
  std::int64_t stride_ = 1;  // one in so many of each channel is in rows_
  std::size_t most_ = 0;
};

}  // namespace stretto::intercept::profile
