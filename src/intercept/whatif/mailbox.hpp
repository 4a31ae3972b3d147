// Clock messages between ranks: through shared memory on a host, by messages of the MPI beyond and
// where a ring is full.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <vector>

#include "intercept/whatif/clock_message.hpp"
#include "intercept/whatif/host_memory.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept::whatif {

class Mailbox {
 public:
  // Collective over MPI_COMM_WORLD; `own` is a copy of it that no one else uses.
  void open(MPI_Comm own, std::size_t scenarios);
  // Likewise; whatever was written has been read by then.
  void close();

  void send(int to, ClockMessage message);
  // To wake it, where what it waits for may have come.
  void ring_doorbell(int rank);

  // Takes in one of each rank that one has come from; true where any has. There may be more: to
  // poll for the next would take the place where it is to be written from its writer, which then
  // waits for as long as a short message takes.
  bool poll();
  // The same, of one rank where it has written.
  bool poll(int sender);

  // Those of kind message, oldest first, until they are taken.
  using ClockMessages = std::list<ClockMessage>;
  [[nodiscard]] ClockMessages& messages_from(int sender) {
    return messages_[static_cast<std::size_t>(sender)];
  }
  void take(int sender, ClockMessages::iterator message) {
    spare_.splice(spare_.begin(), messages_from(sender), message);
  }
  // Who gets each one of another kind.
  void on_other(std::function<void(const ClockMessage&)> reader) { reader_ = std::move(reader); }

  // To be called again and again while waiting: sleeps longer and longer, unless all of this
  // host's ranks have a core of their own. Not at all where the doorbell has rung since `seen`.
  void back_off(int& times, std::uint32_t seen);
  [[nodiscard]] std::uint32_t doorbell() const;
  // Through shared memory, and none of them has to leave its core to others.
  [[nodiscard]] bool reaches_at_once(const std::vector<int>& ranks) const;
  // More ranks than cores on this host: each needs a token to compute.
  [[nodiscard]] bool is_oversubscribed() const { return oversubscribed_; }
  // False where it goes on without: who has one may wait for what this rank has to do.
  bool take_token();
  void give_token();

 private:
  void share_hosts_memory();
  [[nodiscard]] bool take_ring(int local);
  [[nodiscard]] bool take_message();
  void accept(const ClockMessage& message);
  void deliver(const ClockMessage& message);
  void forget_sent(bool all);  // some of those that are done; or waits for all

  struct Sent {
    ClockMessage message;
    MPI_Request request;
  };

  MPI_Comm own_{};
  std::size_t scenarios_ = 0;
  int rank_ = 0;
  int size_ = 1;
  int local_ = 0;              // this rank among its host's
  std::vector<int> local_of_;  // each rank's number on this host; -1: elsewhere
  std::vector<int> world_of_;  // and back
  bool oversubscribed_ = false;
  bool has_token_ = false;
  // Else, clock messages come by the MPI only where a ring was full, and who waits polls again at
  // once.
  bool needs_messages_ = true;
  unsigned polls_ = 0;
  HostMemory memory_;
  std::vector<std::int64_t> sent_;      // numbers, by receiver
  std::vector<std::int64_t> expected_;  // by sender
  std::vector<std::map<std::int64_t, ClockMessage>> early_;
  std::vector<ClockMessages> messages_;
  ClockMessages spare_;  // kept for their memory
  std::list<Sent> underway_;
  std::function<void(const ClockMessage&)> reader_;
};

}  // namespace stretto::intercept::whatif
