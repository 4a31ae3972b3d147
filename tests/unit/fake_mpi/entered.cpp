#include "fake_mpi/entered.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/rank_context.hpp"

namespace fake_mpi {
namespace {

Rank& rank_here(const char* function) {
  Rank* const rank = stretto::of_rank<Here>().rank;
  if (rank == nullptr) {
    std::fprintf(stderr, "fake MPI: %s is called by a thread that runs no rank\n", function);
    std::abort();
  }
  return *rank;
}

bool may_come_before_init(const char* function) {
  for (const char* each : {"Init", "Init_thread", "Get_library_version"}) {
    if (std::strcmp(function, each) == 0) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, void*, std::less<>>& functions() {
  static auto* const all = new std::map<std::string, void*, std::less<>>;
  return *all;
}

Entered::Entered(const char* function, MPI_Comm comm)
    : rank(rank_here(function)),
      job(rank.job),
      lock(job.mutex),
      function_(function + sizeof "fake_" - 1),
      handle_(comm),
      comm_(rank.comms.find(comm)) {
  rank.last_call = function_;
  const bool alive = rank.initialized && !rank.finalized;
  if (!alive && !may_come_before_init(function_)) misused("before MPI_Init or after MPI_Finalize");
  ++rank.inside[std::this_thread::get_id()];
  if (rank.level < MPI_THREAD_MULTIPLE && rank.inside.size() > 1) misused("beside another thread");
  const bool locked = rank.takes_locks || !job.options.switches_locks;
  if (!locked && rank.inside.size() > 1) misused("beside another thread, without locks");
  const bool is_main = std::this_thread::get_id() == rank.thread;
  if (alive && rank.level < MPI_THREAD_SERIALIZED && !is_main) misused("on another thread");
  const long number = ++rank.calls[function_];
  for (const Failure& failure : rank.failures) {
    const bool fits = number >= failure.first && number <= failure.last;
    if (failure.function == function_ && fits) error_ = failure.error;
  }
  if (error_ == MPI_SUCCESS && comm_ == nullptr && alive) error_ = MPI_ERR_COMM;
  if (const auto delay = job.delays.find(function_); delay != job.delays.end()) {
    unlocked([by = delay->second] { std::this_thread::sleep_for(by); });
  }
}

Entered::~Entered() {
  const auto found = rank.inside.find(std::this_thread::get_id());
  if (--found->second == 0) rank.inside.erase(found);
}

void Entered::misused(const std::string& how) {
  job.misuse.push_back("rank " + std::to_string(rank.number) + " calls MPI_" + function_ + ": " +
                       how);
}

std::shared_ptr<Errhandler> handler_in_charge(const Rank& rank, const Comm* comm) {
  if (comm != nullptr && comm->handler != nullptr) return comm->handler;
  for (const MPI_Comm each : {MPI_COMM_SELF, MPI_COMM_WORLD}) {
    const CommPointer known = rank.comms.find(each);
    if (known != nullptr && known->handler != nullptr) return known->handler;
  }
  return rank.handlers.find(MPI_ERRORS_ARE_FATAL);
}

int Entered::raise_on(MPI_Comm of, int error) {
  const std::shared_ptr<Errhandler> handler = handler_in_charge(rank, rank.comms.find(of).get());
  rank.reports.push_back({of, handler->named, error});
  if (handler->function == nullptr) return error;
  return unlocked([&] {
    MPI_Comm comm = of;
    int told = error;
    handler->function(&comm, &told);
    return error;
  });
}

TypePointer Entered::type(MPI_Datatype handle) {
  if (is_predefined(handle)) return predefined(handle);
  if (TypePointer found = rank.types.find(handle)) return found;
  misused("no datatype");
  return predefined(MPI_BYTE);
}

std::shared_ptr<Op> Entered::op(MPI_Op handle) {
  if (handle >= MPI_MAX && handle <= MPI_NO_OP) {
    return std::make_shared<Op>(Op{.named = handle});
  }
  if (std::shared_ptr<Op> found = rank.ops.find(handle)) return found;
  if (handle != MPI_OP_NULL) misused("no operation");
  return std::make_shared<Op>(Op{.named = MPI_NO_OP});
}

std::shared_ptr<Errhandler> Entered::handler(MPI_Errhandler handle) {
  if (std::shared_ptr<Errhandler> found = rank.handlers.find(handle)) return found;
  misused("no error handler");
  return rank.handlers.find(MPI_ERRORS_RETURN);
}

std::shared_ptr<Group> Entered::group(MPI_Group handle) {
  if (std::shared_ptr<Group> found = rank.groups.find(handle)) return found;
  misused("no group");
  return rank.groups.find(MPI_GROUP_EMPTY);
}

std::shared_ptr<Meeting> meet(Entered& at, const CommPointer& comm, const std::string& what,
                              std::shared_ptr<void> given, const Last& last, bool waits) {
  Context& context = *comm->context;
  const long number = comm->met++;
  std::shared_ptr<Meeting>& entry = context.meetings[number];
  if (entry == nullptr) {
    entry = std::make_shared<Meeting>();
    entry->what = what;
    entry->given.resize(context.ranks());
  }
  const std::shared_ptr<Meeting> meeting = entry;
  if (meeting->what != what) {
    std::fprintf(stderr, "fake MPI: rank %d is in MPI_%s, others are in MPI_%s\n", at.rank.number,
                 what.c_str(), meeting->what.c_str());
    std::abort();
  }
  meeting->given[comm->place()] = std::move(given);
  if (++meeting->come == static_cast<int>(context.ranks())) {
    last(*meeting);
    meeting->over = true;
    context.meetings.erase(number);
    at.job.changed.notify_all();
  } else if (waits) {
    at.wait([&] { return meeting->over; });
  }
  return meeting;
}

}  // namespace fake_mpi
