#include "intercept/whatif/messages.hpp"

#include <algorithm>

namespace stretto::intercept::whatif {

Messages& Messages::get() {
  static auto* const instance = new Messages;
  return *instance;
}

void Messages::sends(const CommPtr& comm, int dest, int tag, std::int64_t bytes) {
  Process& process = Process::get();
  const int to = comm->world[static_cast<std::size_t>(dest)];
  Letter letter{.comm = comm->id, .order = tag, .bytes = bytes, .kind = LetterKind::message};
  const Lock lock(process.mutex);
  process.clocks->send(to, bytes, letter.times);
  process.mailbox.send(to, letter);
}

void Messages::sent(const Comm& comm, int dest) {
  Process::get().mailbox.ring_bell(comm.world[static_cast<std::size_t>(dest)]);
}

Ticket Messages::post(const CommPtr& comm, int source, int tag) {
  const Lock lock(Process::get().mutex);
  if (source == MPI_ANY_SOURCE) ++Process::get().flags.wildcards;
  return posted_.insert(posted_.end(), Posted{comm, source, tag});
}

// Messages of one sender, communicator and tag are received in the order in which they were sent,
// by receives in the order in which they were posted (MPI 4.1, 3.5). Those before this one that
// are still to be completed have theirs already.
Letter Messages::complete(Ticket ticket, const MPI_Status& status) {
  int before = 0;
  const CommPtr comm = ticket->comm;
  {
    const Lock lock(Process::get().mutex);
    for (auto other = posted_.begin(); other != ticket; ++other) {
      const bool fits = other->comm == comm &&
                        (other->source == MPI_ANY_SOURCE || other->source == status.MPI_SOURCE) &&
                        (other->tag == MPI_ANY_TAG || other->tag == status.MPI_TAG);
      if (fits) ++before;
    }
    posted_.erase(ticket);
  }
  return letter_of(*comm, status.MPI_SOURCE, status.MPI_TAG, before, true);
}

Letter Messages::probed(const CommPtr& comm, const MPI_Status& status, bool taken) {
  return letter_of(*comm, status.MPI_SOURCE, status.MPI_TAG, 0, taken);
}

Letter Messages::letter_of(const Comm& comm, int source, int tag, int before, bool take) {
  Process& process = Process::get();
  const int sender = comm.world[static_cast<std::size_t>(source)];
  for (int times = 0;;) {
    {
      const Lock lock(process.mutex);
      auto& letters = process.mailbox.messages_from(sender);
      int skipped = 0;
      for (auto letter = letters.begin(); letter != letters.end(); ++letter) {
        if (letter->comm != comm.id || letter->order != tag || skipped++ != before) continue;
        const Letter found = *letter;
        if (take) letters.erase(letter);
        return found;
      }
      process.mailbox.look_at(sender);
    }
    if (++times > 1) {
      const Lock lock(process.mutex);
      process.mailbox.doze(times);
    }
  }
}

void Messages::received(std::span<const Letter> letters) {
  Process& process = Process::get();
  std::vector<model::RankClocks::Arrived> arrived;
  arrived.reserve(letters.size());
  for (const Letter& each : letters) {
    arrived.push_back({.from = each.sender, .bytes = each.bytes, .times = each.times.data()});
  }
  const Lock lock(process.mutex);
  process.clocks->receive(arrived);
  // A sender that waits until its message has been fetched may sleep.
  for (const Letter& each : letters) process.mailbox.ring_bell(each.sender);
}

}  // namespace stretto::intercept::whatif
