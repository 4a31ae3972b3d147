#include "executor.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "callbacks.hpp"
#include "crowd.hpp"
#include "flood.hpp"

namespace differential {
namespace {

constexpr Id kCallbacks = 9999;  // stands for them among the actions

void compute_for(int us) {
  timespec start{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 < us);
}

// What the program can ask of a communicator, in one number.
Seed digest(const View& view) {
  Seed digest = mix(as_seed(view.rank) + mix(as_seed(view.size) + mix(as_seed(view.peers))));
  for (const auto& neighbors : {view.sources, view.destinations}) {
    for (const int neighbor : neighbors) digest = mix(digest + as_seed(neighbor) + 99);
  }
  return digest;
}

}  // namespace

Executor::Executor(Manner manner, Seed seed, int index)
    : manner_(manner), seed_(mix(seed) + as_seed(index)) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  views_[kWorld] = view_of(MPI_COMM_WORLD, 0);
  views_[kSelf] = view_of(MPI_COMM_SELF, 0);
}

Random Executor::own(Seed seed) const { return {seed, as_seed(rank_)}; }

std::string Executor::run(const std::vector<Action>& actions) {
  for (const Action& action : actions) act(action);
  finish();
  std::string lines;
  for (const auto& [id, said] : notes_) {
    for (const std::string& line : said) lines += line;
  }
  return lines;
}

void Executor::act(const Action& action) {
  const bool by_itself = action.kind == Kind::straggle || action.kind == Kind::flood;
  if (!by_itself) be_late(action);
  switch (action.kind) {
    case Kind::make_comm:
      return make(action);
    case Kind::free_comm:
      if (trusts(views_.at(action.comm))) free_comm(action.comm);
      return;
    case Kind::call:
      return call(action);
    case Kind::start:
      return start(action);
    case Kind::init:
      return init(action);
    case Kind::restart:
      return restart(action);
    case Kind::free_request:
      return free_request(action.requests.front());
    case Kind::complete:
      return complete_some(own(action.seed));
    case Kind::straggle:
      return stay_away(action);
    case Kind::flood:
      return flood(action);
    case Kind::crowd:
      return note(action.id, {.received = run_crowd(action, manner_.threads)});
  }
}

// The same on all ranks of the communicator.
bool Executor::trusts(const View& view) const {
  return manner_.trusted && (view.inter || view.size > 1);
}

void Executor::be_late(const Action& action) const {
  if (action.late_rank < 0 || action.late_rank % size_ != rank_) return;
  if (action.late_computes) {
    compute_for(action.late_us);
  } else {
    usleep(static_cast<useconds_t>(action.late_us));
  }
}

void Executor::stay_away(const Action& action) const {
  const View& view = views_.at(action.comm);
  if (view.comm == MPI_COMM_NULL || view.size < 2 || action.late_rank < 0) return;
  if (action.late_rank % view.size == view.rank) await_call(view, action.late_computes);
}

void Executor::flood(const Action& action) {
  const View& view = views_.at(action.comm);
  if (view.comm == MPI_COMM_NULL) return;
  note(action.id, {.received = run_flood(action, view, manner_.trusted)});
}

void Executor::make(const Action& action) {
  const View made = make_comm(action, views_.at(action.comm));
  views_[action.id] = made;
  note(action.id, {.received = digest(made)});
}

void Executor::free_comm(Id comm) {
  View& view = views_.at(comm);
  if (view.comm != MPI_COMM_NULL) MPI_Comm_free(&view.comm);
}

void Executor::call(const Action& action) {
  const View& view = views_.at(action.comm);
  if (view.comm == MPI_COMM_NULL) return;
  Job job(action.arguments, action.seed, view, rank_);
  job.fill(action.seed);
  note(action.id, job.outcome(job.issue(Mode::blocking, nullptr)));
}

void Executor::start(const Action& action) {
  const View& view = views_.at(action.comm);
  if (view.comm == MPI_COMM_NULL) return;
  Pending started{.id = action.id,
                  .job = std::make_shared<Job>(action.arguments, action.seed, view, rank_)};
  started.job->fill(action.seed);
  const int error = issue_nonblocking(*started.job, action, &started.request);
  if (error != MPI_SUCCESS) return note(action.id, started.job->outcome(error));
  if (action.arguments.frees_early && trusts(view)) started.job->free_types();
  pending_.push_back(started);
}

void Executor::init(const Action& action) {
  const View& view = views_.at(action.comm);
  if (view.comm == MPI_COMM_NULL) return;
  Persistent made{.action = action,
                  .job = std::make_shared<Job>(action.arguments, action.seed, view, rank_)};
  // The MPIs' own err as their nonblocking ones do.
  made.stands_in = !has_persistent() || avoids(action, view);
  if (!made.stands_in) {
    const int error = made.job->issue(Mode::persistent, &made.request);
    if (error != MPI_SUCCESS) return note(action.id, made.job->outcome(error));
    if (action.arguments.frees_early && trusts(view)) made.job->free_types();
  }
  persistent_[action.id] = std::move(made);
}

// Where Open MPI 4.1's crash or hang: MPI_Ialltoallv in place, which takes no tag on ranks without
// data; MPI_Ialltoallw in place; the same on a communicator with a topology, whose neighbours it
// takes for the ranks; and two pending on one intercommunicator.
// Where they err: neighbourhood collectives on a Cartesian topology, when both neighbours in a
// direction are one rank. MPICH 5.0's MPI_Ibcast errs on intercommunicators, but from rank 0.
bool Executor::avoids(const Action& action, const View& view) const {
  const Traits& about = traits(action.arguments.collective);
  const bool vector = action.arguments.collective == Collective::alltoallv;
  const bool types = action.arguments.collective == Collective::alltoallw;
  const bool in_place = action.arguments.in_place;
  const bool faulty = (vector && in_place) || (types && (in_place || view.topology));
  return (faulty || view.inter || about.neighbor) && !trusts(view);
}

int Executor::issue_nonblocking(Job& job, const Action& action, MPI_Request* request) const {
  const bool avoided = avoids(action, views_.at(action.comm));
  return job.issue(avoided ? Mode::blocking : Mode::nonblocking, request);
}

// Those that stand in for persistent collectives are nonblocking ones, which have one order.
void Executor::restart(const Action& action) {
  std::vector<Id> order, stand_ins;
  for (const Id id : action.requests) {
    const auto found = persistent_.find(id);
    if (found != persistent_.end()) (found->second.stands_in ? stand_ins : order).push_back(id);
  }
  Random random = own(action.seed);
  for (const auto* each : {&order, &stand_ins}) {
    for (const Id id : *each) complete_one(id, random);
  }
  if (!manner_.in_turn) random.shuffle(order);

  std::vector<MPI_Request> requests;
  for (const Id id : order) {
    const Persistent& each = persistent_.at(id);
    each.job->fill(action.seed + as_seed(id));
    requests.push_back(each.request);
  }
  if (random.one_in(2)) {
    MPI_Startall(static_cast<int>(requests.size()), requests.data());
  } else {
    for (MPI_Request& request : requests) MPI_Start(&request);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    pending_.push_back({.id = order[i],
                        .job = persistent_.at(order[i]).job,
                        .request = requests[i],
                        .persistent = true});
  }
  for (const Id id : stand_ins) {
    const Persistent& each = persistent_.at(id);
    each.job->fill(action.seed + as_seed(id));
    Pending started{.id = id, .job = each.job};
    issue_nonblocking(*each.job, each.action, &started.request);
    pending_.push_back(std::move(started));
  }
}

void Executor::complete_one(Id init, Random random) {
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const Pending& p) { return p.id == init; });
  if (found == pending_.end()) return;
  std::vector<Pending> one{*found};
  pending_.erase(found);
  complete(std::move(one), random);
}

void Executor::free_request(Id request) {
  const auto found = persistent_.find(request);
  if (found == persistent_.end()) return;
  complete_one(request, own(seed_));
  if (!found->second.stands_in) MPI_Request_free(&found->second.request);
  persistent_.erase(found);
}

// Ranks need not complete the same ones: all were started everywhere.
void Executor::complete_some(Random random) {
  if (random.one_in(2)) return complete_all(random);
  std::vector<Pending> chosen, left;
  for (const Pending& each : pending_) (random.one_in(2) ? chosen : left).push_back(each);
  pending_ = std::move(left);
  complete(std::move(chosen), random);
}

void Executor::complete_all(Random random) { complete(std::exchange(pending_, {}), random); }

void Executor::complete(std::vector<Pending> chosen, Random random) {
  if (!manner_.in_turn) random.shuffle(chosen);
  std::vector<MPI_Request> requests;
  for (const Pending& each : chosen) requests.push_back(each.request);
  // Null and inactive requests among them are passed over.
  if (random.one_in(4)) requests.push_back(MPI_REQUEST_NULL);
  int way = manner_.in_turn ? 0 : random.below(kWaysToWait);
  // MPICH 5.0.2's MPI_Testall returns MPI_ERR_IN_STATUS of persistent collectives that went
  // well.
  const bool persistent = std::any_of(chosen.begin(), chosen.end(),
                                      [](const Pending& each) { return each.persistent; });
  if (persistent && way == kTestall) ++way;
  const int error = wait_for(requests, way);
  for (Pending& each : chosen) note(each.id, each.job->outcome(error));
}

void Executor::finish() {
  complete_all(own(seed_));
  while (!persistent_.empty()) free_request(persistent_.begin()->first);
  for (const auto& [id, view] : views_) {
    if (id >= 0) free_comm(id);  // again of those that were freed: then it is null
  }
  // Whose jobs may hold the last of the datatypes.
  pending_.clear();
  persistent_.clear();
  note(kCallbacks, {.received = callbacks_so_far()});
}

void Executor::note(Id action, const Outcome& outcome) {
  char line[80];
  std::snprintf(line, sizeof line, "%d %d %016" PRIx64 " %s\n", action, outcome.error,
                outcome.received, outcome.sent_is_whole ? "whole" : "changed");
  notes_[action].emplace_back(line);
}

}  // namespace differential
