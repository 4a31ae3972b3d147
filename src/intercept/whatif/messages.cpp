#include "intercept/whatif/messages.hpp"

#include <algorithm>

#include "base/short_list.hpp"

namespace stretto::intercept::whatif {

void Messages::sends(const CommPtr& comm, int dest, int tag, std::int64_t bytes) {
  Process& process = Process::get();
  const int to = comm->world[static_cast<std::size_t>(dest)];
  ClockMessage message{
      .comm = comm->id, .order = tag, .bytes = bytes, .kind = ClockMessageKind::message};
  const Lock lock(process.mutex);
  process.virtual_time.send(to, bytes, message.times);
  process.mailbox.send(to, message);
}

void Messages::sent(const ClockedComm& comm, int dest) {
  Process::get().mailbox.ring_doorbell(comm.world[static_cast<std::size_t>(dest)]);
}

Ticket Messages::post(const CommPtr& comm, int source, int tag) {
  const Lock lock(Process::get().mutex);
  if (source == MPI_ANY_SOURCE) ++Process::get().flags.wildcards;
  if (spare_.empty()) spare_.emplace_back();
  spare_.front() = Posted{comm, source, tag, next_number_++};
  posted_.splice(posted_.end(), spare_, spare_.begin());
  return std::prev(posted_.end());
}

// Messages of one sender, communicator and tag are received in the order in which they were sent,
// by receives in the order in which they were posted (MPI 4.1, 3.5). Those before this one that
// are still to be completed have theirs; one from any source or of any tag perhaps another.
Messages::Before Messages::before(const Posted& posted, Ticket until,
                                  const MPI_Status& status) const {
  Before count;
  for (auto other = posted_.begin(); other != posted_.end() && other != until; ++other) {
    const bool fits = other->comm == posted.comm &&
                      (other->source == MPI_ANY_SOURCE || other->source == status.MPI_SOURCE) &&
                      (other->tag == MPI_ANY_TAG || other->tag == status.MPI_TAG);
    if (!fits) continue;
    const bool is_sure = other->source != MPI_ANY_SOURCE && other->tag != MPI_ANY_TAG;
    ++(is_sure ? count.surely : count.perhaps);
  }
  return count;
}

ClockMessage Messages::complete(Ticket ticket, const MPI_Status& status) {
  const CommPtr comm = ticket->comm;
  Before earlier;
  {
    const Lock lock(Process::get().mutex);
    earlier = before(*ticket, ticket, status);
    withdraw(ticket);
  }
  return find(*comm, status, earlier, true);
}

ClockMessage Messages::probed(const CommPtr& comm, const MPI_Status& status, bool taken) {
  Before earlier;
  {
    const Lock lock(Process::get().mutex);
    earlier = before({comm, status.MPI_SOURCE, status.MPI_TAG}, posted_.end(), status);
  }
  return find(*comm, status, earlier, taken);
}

ClockMessage Messages::find(const ClockedComm& comm, const MPI_Status& status, Before earlier,
                            bool take) {
  Process& process = Process::get();
  const int sender = comm.world[static_cast<std::size_t>(status.MPI_SOURCE)];
  for (int times = 0;;) {
    {
      const Lock lock(process.mutex);
      auto& messages = process.mailbox.messages_from(sender);
      // The last of those that it can be: the message has come, so its clock message has, too.
      auto found = messages.end();
      int skipped = 0;
      for (auto message = messages.begin(); message != messages.end(); ++message) {
        if (message->comm != comm.id || message->order != status.MPI_TAG) continue;
        if (skipped >= earlier.surely) found = message;
        if (skipped++ == earlier.surely + earlier.perhaps) break;
      }
      const bool is_last = skipped > earlier.surely + earlier.perhaps;
      if (!is_last && process.mailbox.poll(sender)) continue;
      if (found != messages.end()) {
        const ClockMessage message = *found;
        if (take) {
          process.mailbox.take(sender, found);
          if (process.virtual_time.is_recorded()) unwritten_[sender].insert(message.number);
        }
        return message;
      }
    }
    if (++times > 1) process.rest(times);
  }
}

void Messages::take_in(const CommPtr& comm, std::span<const int> sources, int tag) {
  ShortList<ClockMessage> messages;
  for (const int source : sources) {
    MPI_Status status{};
    status.MPI_SOURCE = source;
    status.MPI_TAG = tag;
    messages.push_back(complete(post(comm, source, tag), status));
  }
  if (!messages.empty()) received(messages);
}

trace::Taken Messages::place_of(const ClockMessage& message, bool taken) {
  if (message.taken.from == trace::kKept) return message.taken;
  const auto& there = Process::get().mailbox.messages_from(message.sender);
  const auto is_before = [&](const ClockMessage& other) { return other.number < message.number; };
  auto position = std::count_if(there.begin(), there.end(), is_before);
  auto& unwritten = unwritten_[message.sender];
  position += std::distance(unwritten.begin(), unwritten.lower_bound(message.number));
  if (taken) unwritten.erase(message.number);
  return {.from = message.sender, .position = static_cast<int>(position)};
}

void Messages::received(std::span<ClockMessage> messages) {
  Process& process = Process::get();
  const Lock lock(process.mutex);
  if (process.virtual_time.is_recorded()) {
    for (ClockMessage& each : messages) each.taken = place_of(each, true);
  }
  process.virtual_time.receive(messages);
  // A sender that waits until its message has been fetched may sleep.
  for (const ClockMessage& each : messages) process.mailbox.ring_doorbell(each.sender);
}

}  // namespace stretto::intercept::whatif
