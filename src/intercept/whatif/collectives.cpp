#include "intercept/whatif/collectives.hpp"

#include <algorithm>
#include <utility>

#include "base/caches.hpp"
#include "mpi/traffic.hpp"

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
                   .uneven = letter.uneven,
                   .cold = letter.cold},
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

Planned Collectives::plan(const CommPtr& comm, const Call& call, const char* function,
                          void* caller) {
  Planned planned{.comm = comm, .site = {function, caller, comm->size()}};
  planned.op = {.kind = trace::OpKind::begin,
                .bytes = bytes_of_call(call, comm->size()),
                .comm = comm->recorded,
                .collective = call.collective,
                .root = is_rooted(call.collective) ? call.root : 0,
                .commutative = is_commutative(call),
                .uneven = call.uneven};
  if (is_neighborhood(call.collective)) plan_exchange(call, planned);
  if (call.form != Form::persistent) return planned;
  const Lock lock(Process::get().mutex);
  planned.op.series = ++comm->series;
  return planned;
}

Begun Collectives::begin(Planned& planned) {
  Process& process = Process::get();
  const CommPtr& comm = planned.comm;
  const int series = planned.op.series;
  // Messages between neighbours cost the same wherever the data are.
  planned.op.cold = process.left_caches() && planned.op.bytes >= kShowsCaches &&
                    !is_neighborhood(planned.op.collective);
  const Lock lock(process.mutex);
  Begun begun{.comm = comm, .site = planned.site, .bytes = planned.op.bytes};
  begun.number = trace::number_of(series, series == 0 ? comm->collectives++ : planned.turns++);
  begun.in_timeline = process.timeline.begin(planned.site, planned.op);
  if (is_neighborhood(planned.op.collective)) {
    exchanges_.begin(planned, begun);
    return begun;
  }
  expect(planned, begun.number);
  return begun;
}

void Collectives::meet(const CommPtr& comm, const char* function, void* caller) {
  Planned planned = plan(comm, {.collective = Collective::barrier}, function, caller);
  Begun begun = begin(planned);
  begun.meets = true;
  finish(begun, false);
}

Collectives::Left Collectives::leave(const CommPtr& comm, float took_ns, bool names) {
  Planned planned{.comm = comm, .names = names, .took_ns = took_ns};
  planned.op.collective = Collective::barrier;
  Begun begun{.comm = comm};
  {
    const Lock lock(Process::get().mutex);
    begun.number = comm->collectives++;
    expect(planned, begun.number);
  }
  const Letter all = answer(begun);
  return {all.took_ns, all.bytes};
}

void Collectives::expect(const Planned& planned, std::int64_t number) {
  const CommPtr& comm = planned.comm;
  if (planned.names && comm->rank == 0) {
    names_.emplace(Key{comm->id, number}, Process::get().comms.name(comm->first()));
  }
  arrive(planned, number);
}

void Collectives::arrive(const Planned& planned, std::int64_t number) {
  Process& process = Process::get();
  const CommPtr& comm = planned.comm;
  Letter letter{.comm = comm->id,
                .order = number,
                .bytes = planned.op.bytes,
                .sender = process.world_rank,
                .kind = LetterKind::arrival,
                .collective = static_cast<std::int32_t>(planned.op.collective),
                .root = planned.op.root,
                .commutative = planned.op.commutative,
                .uneven = planned.op.uneven,
                .cold = planned.op.cold,
                .took_ns = planned.took_ns};
  const auto now = process.timeline.now();
  std::copy(now.begin(), now.end(), letter.times.begin());
  letter.together = planned.together();
  if (letter.together) {
    for (const int rank : comm->world) {
      if (rank != process.world_rank) process.mailbox.send(rank, letter);
    }
  } else if (comm->rank == 0) {
    ++awaited_;
  } else {
    process.mailbox.send(comm->first(), letter);
    process.mailbox.ring_bell(comm->first());
    return;
  }
  gathered_.insert({comm->id, number}).comm = comm;
  arrived(letter);
}

void Collectives::finish(const Begun& begun, bool nonblocking) {
  if (begun.exchange) {
    exchanges_.finish(begun);
    return;
  }
  const Letter ends = answer(begun);
  Process& process = Process::get();
  {
    const Lock lock(process.mutex);
    const double before = process.timeline.now()[0];
    if (begun.meets) {
      process.timeline.meet(begun.in_timeline, ends);
    } else {
      process.timeline.finish(begun.in_timeline, ends, nonblocking);
    }
    process.sites[begun.site].add(begun.bytes, before, ends.free[0], process.timeline.now()[0]);
  }
  if (begun.duplicate != native().comm_null) process.comms.attach(begun.duplicate, ends.bytes);
}

void Collectives::attach_duplicate(Begun& begun) {
  Process& process = Process::get();
  std::int64_t id = 0;
  {
    const Lock lock(process.mutex);
    id = answers_.at({begun.comm->id, begun.number}).bytes;
  }
  process.comms.attach(std::exchange(begun.duplicate, native().comm_null), id);
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
  switch (letter.kind) {
    case LetterKind::arrival:
      arrived(letter);
      break;
    case LetterKind::block:
      exchanges_.came(letter);
      break;
    default:
      answers_.insert({letter.comm, letter.order}) = letter;
  }
}

void Collectives::arrived(const Letter& letter) {
  const Key key{letter.comm, letter.order};
  Gathered& gathered = gathered_.insert(key);
  gathered.letters.push_back(letter);
  if (!gathered.comm || std::ssize(gathered.letters) < gathered.comm->size()) return;
  work_out(gathered);
  gathered.comm.reset();
  gathered.letters.clear();
  gathered_.erase(gathered_.find(key));
}

void Collectives::work_out(const Gathered& gathered) {
  Process& process = Process::get();
  Comm& comm = *gathered.comm;
  arrivals_.resize(comm.world.size());
  for (const Letter& letter : gathered.letters) {
    const auto at = std::find(comm.world.begin(), comm.world.end(), letter.sender);
    arrivals_[static_cast<std::size_t>(at - comm.world.begin())] = arrival_of(letter);
  }
  if (!comm.times) {
    comm.times = std::make_unique<model::GroupTimes>(process.scenarios, process.places, comm.world);
  }
  const std::int64_t number = gathered.letters.front().order;
  Letter& answer = answers_.insert({comm.id, number});
  answer = {.comm = comm.id, .order = number, .kind = LetterKind::ends};
  answer.took_ns = gathered.letters.front().took_ns;
  for (const Letter& letter : gathered.letters) {
    answer.took_ns = std::min(answer.took_ns, letter.took_ns);
  }
  if (const auto named = names_.extract({comm.id, number})) answer.bytes = named.mapped();
  const auto& ends = comm.times->of(arrivals_);
  const auto address = [&](Letter& letter, int rank) {
    const auto member = static_cast<std::size_t>(rank);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      letter.times[i] = ends[i].ends[member];
      letter.free[i] = ends[i].free[member];
    }
  };
  address(answer, comm.rank);
  if (gathered.letters.front().together) return;
  --awaited_;
  Letter theirs = answer;
  for (int rank = 1; rank < comm.size(); ++rank) {
    const int to = comm.world[static_cast<std::size_t>(rank)];
    address(theirs, rank);
    process.mailbox.send(to, theirs);
    process.mailbox.ring_bell(to);
  }
}

}  // namespace stretto::intercept::whatif
