// Virtual time of the program's point-to-point messages.
#pragma once

#include <cstdint>
#include <list>
#include <set>
#include <span>
#include <unordered_map>

#include "intercept/whatif/process.hpp"

namespace stretto::intercept::whatif {

// A receive that was posted and is not complete.
struct Posted {
  CommPtr comm{};
  int source = 0;  // in the communicator, or MPI_ANY_SOURCE
  int tag = 0;     // or MPI_ANY_TAG
  std::int64_t number = 0;
};
using Ticket = std::list<Posted>::iterator;

class Messages {
 public:
  // This rank's.
  [[nodiscard]] static Messages& get() { return of_rank<Messages>(); }

  // A message of so many bytes is about to be sent.
  void sends(const CommPtr& comm, int dest, int tag, std::int64_t bytes);
  // To be called once it has been: its receiver may sleep.
  static void sent(const ClockedComm& comm, int dest);

  // In the order in which the program posts them.
  Ticket post(const CommPtr& comm, int source, int tag);
  void withdraw(Ticket ticket) {
    ticket->comm.reset();
    spare_.splice(spare_.begin(), posted_, ticket);
  }
  // It has received what `status` says: takes the clock message that belongs to it.
  [[nodiscard]] ClockMessage complete(Ticket ticket, const MPI_Status& status);
  // The same of a message that a probe has seen; taken, where a matched probe took the message.
  [[nodiscard]] ClockMessage probed(const CommPtr& comm, const MPI_Status& status, bool taken);
  // They were received together: in the order in which they arrive.
  void received(std::span<ClockMessage> messages);
  // Those of these ranks that have, or will have, such a tag: one of each, received together.
  void take_in(const CommPtr& comm, std::span<const int> sources, int tag);
  // Where the clock message is for a trace, now that what became of it is written down. Only with
  // the mutex held.
  [[nodiscard]] trace::Taken place_of(const ClockMessage& message, bool taken);

  // Messages that matched probes have taken out.
  std::unordered_map<std::uintptr_t, ClockMessage> matched;

 private:
  // Earlier receives that had, or may have had, a message like the one that is wanted.
  struct Before {
    int surely = 0;
    int perhaps = 0;
  };
  [[nodiscard]] Before before(const Posted& posted, Ticket until, const MPI_Status& status) const;
  [[nodiscard]] ClockMessage find(const ClockedComm& comm, const MPI_Status& status, Before earlier,
                                  bool take);

  std::list<Posted> posted_;
  std::list<Posted> spare_;  // kept for their memory
  // The numbers of clock messages, by sender, that were taken but are not written down as such yet:
  // other threads may come between.
  std::unordered_map<int, std::set<std::int64_t>> unwritten_;
  std::int64_t next_number_ = 0;
};

// Of a handle: an int in one MPI, a pointer in another.
template <class Handle>
[[nodiscard]] std::uintptr_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uintptr_t>(static_cast<unsigned>(handle));
  }
}

}  // namespace stretto::intercept::whatif
