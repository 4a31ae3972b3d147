#include "intercept/whatif/messages.hpp"

#include <algorithm>

#include "base/short_list.hpp"

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
  process.timeline.send(to, bytes, letter.times);
  process.mailbox.send(to, letter);
}

void Messages::sent(const Comm& comm, int dest) {
  Process::get().mailbox.ring_bell(comm.world[static_cast<std::size_t>(dest)]);
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

Letter Messages::complete(Ticket ticket, const MPI_Status& status) {
  const CommPtr comm = ticket->comm;
  Before earlier;
  {
    const Lock lock(Process::get().mutex);
    earlier = before(*ticket, ticket, status);
    withdraw(ticket);
  }
  return letter_of(*comm, status, earlier, true);
}

Letter Messages::probed(const CommPtr& comm, const MPI_Status& status, bool taken) {
  Before earlier;
  {
    const Lock lock(Process::get().mutex);
    earlier = before({comm, status.MPI_SOURCE, status.MPI_TAG}, posted_.end(), status);
  }
  return letter_of(*comm, status, earlier, taken);
}

Letter Messages::letter_of(const Comm& comm, const MPI_Status& status, Before earlier, bool take) {
  Process& process = Process::get();
  const int sender = comm.world[static_cast<std::size_t>(status.MPI_SOURCE)];
  for (int times = 0;;) {
    {
      const Lock lock(process.mutex);
      auto& letters = process.mailbox.messages_from(sender);
      // The last of those that it can be: the message has come, so its letter has, too.
      auto found = letters.end();
      int skipped = 0;
      for (auto letter = letters.begin(); letter != letters.end(); ++letter) {
        if (letter->comm != comm.id || letter->order != status.MPI_TAG) continue;
        if (skipped >= earlier.surely) found = letter;
        if (skipped++ == earlier.surely + earlier.perhaps) break;
      }
      const bool is_last = skipped > earlier.surely + earlier.perhaps;
      if (!is_last && process.mailbox.look_at(sender)) continue;
      if (found != letters.end()) {
        const Letter letter = *found;
        if (take) {
          process.mailbox.take(sender, found);
          if (process.timeline.is_recorded()) unwritten_[sender].insert(letter.number);
        }
        return letter;
      }
    }
    if (++times > 1) process.rest(times);
  }
}

void Messages::take_in(const CommPtr& comm, std::span<const int> sources, int tag) {
  ShortList<Letter> letters;
  for (const int source : sources) {
    MPI_Status status{};
    status.MPI_SOURCE = source;
    status.MPI_TAG = tag;
    letters.push_back(complete(post(comm, source, tag), status));
  }
  if (!letters.empty()) received(letters);
}

trace::Taken Messages::place_of(const Letter& letter, bool taken) {
  if (letter.taken.from == trace::kKept) return letter.taken;
  const auto& there = Process::get().mailbox.messages_from(letter.sender);
  const auto is_before = [&](const Letter& other) { return other.number < letter.number; };
  auto position = std::count_if(there.begin(), there.end(), is_before);
  auto& unwritten = unwritten_[letter.sender];
  position += std::distance(unwritten.begin(), unwritten.lower_bound(letter.number));
  if (taken) unwritten.erase(letter.number);
  return {.from = letter.sender, .position = static_cast<int>(position)};
}

void Messages::received(std::span<Letter> letters) {
  Process& process = Process::get();
  const Lock lock(process.mutex);
  if (process.timeline.is_recorded()) {
    for (Letter& each : letters) each.taken = place_of(each, true);
  }
  process.timeline.receive(letters);
  // A sender that waits until its message has been fetched may sleep.
  for (const Letter& each : letters) process.mailbox.ring_bell(each.sender);
}

}  // namespace stretto::intercept::whatif
