#include "intercept/whatif/collectives.hpp"

#include <algorithm>

#include "intercept/calls/traffic.hpp"

namespace stretto::intercept::whatif {
namespace {

// The vector's or one block's, as model::CollectiveCall counts.
std::int64_t bytes_of_call(const Call& call, int size) {
  const std::int64_t bytes = traffic_of(call).bytes;
  const bool is_all = call.collective == Collective::alltoall ||
                      (call.collective == Collective::reduce_scatter && call.uneven);
  return is_all ? bytes / size : bytes;
}

bool is_commutative(const Call& call) {
  if (!reduces(call.collective)) return true;
  int commutative = 1;
  native().Op_commutative(call.op, &commutative);
  return commutative != 0;
}

model::Arrival arrival_of(const Letter& letter) {
  return {.call = {.collective = static_cast<Collective>(letter.collective),
                   .bytes = letter.bytes,
                   .root = letter.root,
                   .commutative = letter.commutative,
                   .uneven = letter.uneven},
          .times = letter.times.data()};
}

}  // namespace

Collectives& Collectives::get() {
  static auto* const instance = new Collectives;
  return *instance;
}

void Collectives::open() {
  Process::get().mailbox.on_other([this](const Letter& letter) { read(letter); });
}

Begun Collectives::begin(const CommPtr& comm, const Call& call, const char* function,
                         void* caller) {
  Process& process = Process::get();
  const std::int64_t bytes = bytes_of_call(call, comm->size());
  Letter letter{.comm = comm->id,
                .bytes = bytes,
                .kind = LetterKind::arrival,
                .collective = static_cast<std::int32_t>(call.collective),
                .root = is_rooted(call.collective) ? call.root : 0,
                .commutative = is_commutative(call),
                .uneven = call.uneven};
  const Lock lock(process.mutex);
  letter.order = comm->collectives++;
  letter.sender = process.world_rank;
  const auto now = process.timeline.now();
  std::copy(now.begin(), now.end(), letter.times.begin());
  const SiteKey site{function, caller, comm->size()};
  const int in_timeline = process.timeline.begin(comm->recorded, site, letter);
  if (comm->rank == 0) {
    ++comm->unanswered;
    worked_out_here_.emplace(comm->id, comm);
    arrived(letter);
  } else {
    process.mailbox.send(comm->first(), letter);
    process.mailbox.ring_bell(comm->first());
  }
  return {comm, letter.order, site, in_timeline, bytes};
}

void Collectives::finish(const Begun& begun, bool nonblocking) {
  const Letter ends = answer(begun);
  Process& process = Process::get();
  const Lock lock(process.mutex);
  const double before = process.timeline.now()[0];
  process.timeline.finish(begun.in_timeline, ends, nonblocking);
  process.sites[begun.site].add(begun.bytes, before, ends.free[0], process.timeline.now()[0]);
}

Letter Collectives::answer(const Begun& begun) {
  Process& process = Process::get();
  const Key key{begun.comm->id, begun.number};
  for (int times = 0;; process.rest(times)) {
    const Lock lock(process.mutex);
    const auto found = answers_.find(key);
    if (found == answers_.end()) continue;
    const Letter letter = found->second;
    answers_.erase(found);
    return letter;
  }
}

void Collectives::read(const Letter& letter) {
  if (letter.kind == LetterKind::arrival) {
    arrived(letter);
  } else {
    answers_.emplace(Key{letter.comm, letter.order}, letter);
  }
}

void Collectives::arrived(const Letter& letter) {
  const Key key{letter.comm, letter.order};
  Gathered& gathered = gathered_[key];
  gathered.letters.push_back(letter);
  // Others may come before this rank, which alone knows how many there will be.
  const auto known = worked_out_here_.find(letter.comm);
  if (known == worked_out_here_.end()) return;
  Comm& comm = *known->second;
  if (static_cast<int>(gathered.letters.size()) < comm.size()) return;
  work_out(comm, gathered);
  gathered_.erase(key);
  if (--comm.unanswered == 0) worked_out_here_.erase(known);
}

void Collectives::work_out(Comm& comm, const Gathered& gathered) {
  Process& process = Process::get();
  const std::size_t size = comm.world.size();
  std::vector<model::Arrival> arrivals(size);
  for (const Letter& letter : gathered.letters) {
    const auto at = std::find(comm.world.begin(), comm.world.end(), letter.sender);
    arrivals[static_cast<std::size_t>(at - comm.world.begin())] = arrival_of(letter);
  }
  if (!comm.times) {
    comm.times = std::make_unique<model::GroupTimes>(process.scenarios, process.places, comm.world);
  }
  const std::int64_t number = gathered.letters.front().order;
  std::vector<Letter> answers(size,
                              Letter{.comm = comm.id, .order = number, .kind = LetterKind::ends});
  const auto ends = comm.times->of(arrivals);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t each = 0; each < size; ++each) {
      answers[each].times[i] = ends[i].ends[each];
      answers[each].free[i] = ends[i].free[each];
    }
  }
  answers_.emplace(Key{comm.id, number}, answers[0]);
  for (std::size_t each = 1; each < size; ++each) {
    process.mailbox.send(comm.world[each], answers[each]);
    process.mailbox.ring_bell(comm.world[each]);
  }
}

}  // namespace stretto::intercept::whatif
