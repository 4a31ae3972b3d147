#include "intercept/whatif/collectives.hpp"

#include <algorithm>
#include <utility>

#include "base/caches.hpp"
#include "intercept/shared/python.hpp"
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

// mpi4py makes the calls of a line of Python at one place of its own or at several.
CallSiteKey call_site_of(const char* function, void* caller, int size) {
  const PythonLine* const line = python_line(caller);
  return {function, line == nullptr ? caller : nullptr, line, size};
}

model::CollectiveCall call_of(const ClockMessage& arrival) {
  return {.collective = static_cast<Collective>(arrival.collective),
          .bytes = arrival.bytes,
          .root = arrival.root,
          .commutative = arrival.commutative,
          .uneven = arrival.uneven,
          .cold = arrival.cold};
}

}  // namespace

void Collectives::open() {
  Process::get().mailbox.on_other([this](const ClockMessage& message) { read(message); });
}

Planned Collectives::plan(const CommPtr& comm, const Call& call, const char* function,
                          void* caller) {
  Planned planned{.comm = comm, .call_site = call_site_of(function, caller, comm->size())};
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
  Begun begun;
  begun.comm = comm;
  begun.number = trace::number_of(series, series == 0 ? comm->collectives++ : planned.turns++);
  begun.open = process.virtual_time.begin(planned.call_site, planned.op);
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
  Begun begun;
  begun.comm = comm;
  {
    const Lock lock(Process::get().mutex);
    begun.number = comm->collectives++;
    expect(planned, begun.number);
  }
  const ClockMessage all = answer(begun);
  return {all.took_ns, all.bytes};
}

void Collectives::expect(const Planned& planned, std::int64_t number) {
  const CommPtr& comm = planned.comm;
  if (planned.names && comm->rank == 0) {
    names_.emplace(CollectiveKey{comm->id, number}, Process::get().comms.name(comm->first()));
  }
  arrive(planned, number);
}

void Collectives::arrive(const Planned& planned, std::int64_t number) {
  Process& process = Process::get();
  const CommPtr& comm = planned.comm;
  ClockMessage message{.comm = comm->id,
                       .order = number,
                       .bytes = planned.op.bytes,
                       .sender = process.world_rank,
                       .kind = ClockMessageKind::arrival,
                       .collective = static_cast<std::int32_t>(planned.op.collective),
                       .root = planned.op.root,
                       .commutative = planned.op.commutative,
                       .uneven = planned.op.uneven,
                       .cold = planned.op.cold,
                       .took_ns = planned.took_ns};
  const auto now = process.virtual_time.now();
  std::copy(now.begin(), now.end(), message.times.begin());
  message.together = planned.together();
  if (message.together) {
    for (const int rank : comm->world) {
      if (rank != process.world_rank) process.mailbox.send(rank, message);
    }
  } else if (comm->rank == 0) {
    ++awaited_;
  } else {
    process.mailbox.send(comm->first(), message);
    process.mailbox.ring_doorbell(comm->first());
    return;
  }
  gathered_.insert({comm->id, number}).comm = comm;
  arrived(message);
}

void Collectives::finish(const Begun& begun, bool nonblocking) {
  if (begun.open.exchange) {
    exchanges_.finish(begun);
    return;
  }
  const ClockMessage ends = answer(begun);
  Process& process = Process::get();
  {
    using model::Waiting;
    const Waiting waiting = nonblocking ? Waiting::nonblocking : Waiting::blocking;
    const Lock lock(process.mutex);
    process.virtual_time.finish(begun.open, begun.meets ? Waiting::meeting : waiting, ends);
  }
  if (begun.duplicate != native().comm_null) process.comms.attach(begun.duplicate, ends.bytes);
}

void Collectives::attach_duplicate(Begun& begun) {
  Process& process = Process::get();
  std::int64_t id = 0;
  {
    const Lock lock(process.mutex);
    id = answers_.at(begun.key()).bytes;
  }
  process.comms.attach(std::exchange(begun.duplicate, native().comm_null), id);
}

ClockMessage Collectives::answer(const Begun& begun) {
  Process& process = Process::get();
  for (int times = 0;; process.rest(times)) {
    const Lock lock(process.mutex);
    const auto found = answers_.find(begun.key());
    if (found == answers_.end()) continue;
    const ClockMessage message = found->second;
    answers_.erase(found);
    return message;
  }
}

void Collectives::read(const ClockMessage& message) {
  switch (message.kind) {
    case ClockMessageKind::arrival:
      arrived(message);
      break;
    case ClockMessageKind::block:
      exchanges_.came(message);
      break;
    default:
      answers_.insert({message.comm, message.order}) = message;
  }
}

void Collectives::arrived(const ClockMessage& message) {
  const CollectiveKey key{message.comm, message.order};
  Gathered& gathered = gathered_.insert(key);
  const bool is_first = gathered.meeting.arrived() == 0;
  gathered.took_ns = is_first ? message.took_ns : std::min(gathered.took_ns, message.took_ns);
  gathered.together = message.together;
  const std::size_t scenarios = Process::get().scenarios.size();
  gathered.meeting.arrive(message.sender, call_of(message),
                          std::span(message.times).first(scenarios));
  if (!gathered.comm || gathered.meeting.arrived() < gathered.comm->world.size()) return;
  work_out(gathered, message.order);
  gathered.comm.reset();
  gathered.meeting.clear();
  gathered_.erase(gathered_.find(key));
}

void Collectives::work_out(const Gathered& gathered, std::int64_t number) {
  Process& process = Process::get();
  ClockedComm& comm = *gathered.comm;
  if (!comm.times) {
    comm.times = std::make_unique<model::GroupTimes>(process.scenarios, process.places, comm.world);
  }
  const CollectiveKey key{comm.id, number};
  ClockMessage& answer = answers_.insert(key);
  answer = {.comm = comm.id, .order = number, .kind = ClockMessageKind::ends};
  answer.took_ns = gathered.took_ns;
  if (const auto named = names_.extract(key)) answer.bytes = named.mapped();
  const auto& ends = comm.times->of(gathered.meeting);
  const auto address = [&](ClockMessage& message, int rank) {
    const auto member = static_cast<std::size_t>(rank);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      message.times[i] = ends[i].ends[member];
      message.free[i] = ends[i].free[member];
    }
  };
  address(answer, comm.rank);
  if (gathered.together) return;
  --awaited_;
  ClockMessage theirs = answer;
  for (int rank = 1; rank < comm.size(); ++rank) {
    const int to = comm.world[static_cast<std::size_t>(rank)];
    address(theirs, rank);
    process.mailbox.send(to, theirs);
    process.mailbox.ring_doorbell(to);
  }
}

}  // namespace stretto::intercept::whatif
