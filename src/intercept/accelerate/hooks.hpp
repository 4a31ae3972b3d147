// What the generated wrappers call. `real` is the MPI's own function.
#pragma once

#include <array>
#include <optional>

#include "api/call.hpp"
#include "api/device_buffers.hpp"
#include "api/learning.hpp"
#include "api/ready.hpp"
#include "api/root_sends.hpp"
#include "api/shared_blocks.hpp"
#include "base/clock.hpp"
#include "engine/failures.hpp"
#include "intercept/accelerate/counters.hpp"
#include "intercept/accelerate/heap.hpp"
#include "intercept/accelerate/persistents.hpp"
#include "intercept/accelerate/session.hpp"
#include "intercept/accelerate/tracked.hpp"
#include "mpi/completion.hpp"

namespace stretto::intercept::accelerate {

// Where only what needs no MPI may be begun: is it known at once to be none of that, as a sum that
// is short, whatever its numbers are?
[[gnu::always_inline]] inline bool never_without_mpi(const Call& call, const Communicator& comm) {
  constexpr Count kLongestNumber = 16;
  if (call.form != Form::nonblocking || !comm.around.progress_in_memory) return false;
  return call.uneven ||
         (reduces(call.collective) && call.recvcount < kLongInMemory / kLongestNumber);
}

// Why is this collective the MPI's, whatever its buffers, or by what was learned from its like?
// Reason::none: that is not known so soon. Where it is, the call counts as made (Contest::pass),
// and has to go to the MPI.
[[gnu::always_inline]] inline Reason native_at_once(const Call& call, const Communicator& comm) {
  Reason reason = always_native(call.collective, call.form, &comm);
  if (reason == Reason::none && never_without_mpi(call, comm)) {
    reason = Reason::no_progress_thread;
  }
  return reason == Reason::none ? learning::passes(comm, call) : reason;
}

// Then it is counted, and the caller calls the MPI. First of all, as the MPI's fastest take a tenth
// of a microsecond. It and what it calls are always inlined: then the call's description stays in
// registers, and what of it nobody asks for is never made.
[[gnu::always_inline]] inline bool goes_native(int entry_point, const Call& call) {
  const Communicator* const comm = communicators::find(call.comm);
  const Reason reason = comm == nullptr ? Reason::not_attached : native_at_once(call, *comm);
  if (reason == Reason::none) return false;
  Engine& engine = Engine::get();
  counters::count_passed(engine, entry_point, reason);
  if (reason == Reason::device_buffers) [[unlikely]]
    device_buffers::report();
  if (call.form == Form::blocking) engine.relax();
  expect_vectors(call);
  return true;
}

// The same before the wrapper is entered, of a call on the communicator that this thread has found
// last, where there is nothing to be done but to count it. It calls nothing, so that arguments in
// registers stay there.
[[gnu::always_inline]] inline bool goes_straight(int entry_point, const Call& call) {
  RankContext* const rank = outermost_rank();
  if (rank == nullptr || !needs_no_attention()) return false;
  const auto* const attributes = rank->made<communicators::detail::Attributes>();
  const auto* const engine = rank->made<Engine>();
  auto* const counts = rank->made<counters::CallCounts>();
  if (attributes == nullptr || engine == nullptr || counts == nullptr) return false;
  const auto* const comm = static_cast<const Communicator*>(attributes->find_last(call.comm));
  if (comm == nullptr || comm->around.device_buffers || takes_vectors(call)) return false;
  if (call.form == Form::blocking && !call.uneven &&
      comm->by_root[static_cast<std::size_t>(call.collective)] != nullptr) {
    return false;
  }
  const Reason reason = native_at_once(call, *comm);
  if (reason == Reason::none) return false;
  counters::count_passed(*engine, *counts, entry_point, reason);
  return true;
}

// A blocking broadcast or scatter whose root says in shared memory what comes, and that this is
// all: what the call returns then.
inline std::optional<int> run_by_root(int entry_point, const Call& call) {
  Communicator* const comm = communicators::find(call.comm);
  if (comm == nullptr) return {};
  const Algorithm* const algorithm = comm->by_root[static_cast<std::size_t>(call.collective)];
  if (algorithm == nullptr) return {};
  const std::optional<int> error = root_sends::run(call, *comm);
  if (!error) return {};
  counters::count_handled(entry_point, *algorithm);
  return report(call.comm, *error);
}

inline int run_by_blocks(int entry_point, const Call& call, const KnownCall& known) {
  counters::count_handled(entry_point, *known.by_blocks);
  return report(call.comm, shared_blocks::run_again(call, known));
}

// By the algorithm that is chosen, or untouched by the MPI.
template <class Real>
int run_or_pass(int entry_point, const Call& call, const learning::Turn& turn, MPI_Request* request,
                const Real& real) {
  if (turn.by_blocks != nullptr) return run_by_blocks(entry_point, call, *turn.by_blocks);
  expect_vectors(call);
  Reason passes = turn.passes;
  if (passes == Reason::none) {
    const Decision decision = decide(call, turn.choice);
    if (!decision.is_native()) {
      counters::count_handled(entry_point, *decision.choice.algorithm);
      if (call.form == Form::blocking) return report(call.comm, run(call, decision));
      begin(call, decision, request);
      return MPI_SUCCESS;
    }
    passes = decision.choice.reason;
  }
  Engine& engine = Engine::get();
  counters::count_passed(engine, entry_point, passes);
  if (call.form == Form::blocking) engine.relax();
  return real();
}

// Any other collective.
template <class Real>
[[gnu::noinline]] int on_collective(int entry_point, const Call& call, MPI_Request* request,
                                    const Real& real) {
  if (const Operation* const begun = begin_again(call, request)) {
    counters::count_handled(entry_point, *begun->plan().algorithm);
    return MPI_SUCCESS;
  }
  if (const KnownCall* const known = shared_blocks::find(call)) {
    return run_by_blocks(entry_point, call, *known);
  }
  const learning::Turn turn = learning::take_turn(call);
  if (turn.contest == nullptr) [[likely]] {
    return run_or_pass(entry_point, call, turn, request, real);
  }
  const std::int64_t start = now_ns();
  const int error = run_or_pass(entry_point, call, turn, request, real);
  learning::end_turn(call, turn, now_ns() - start);
  return error;
}

int refuse_persistent(const Decision& decision);

// The same for one that is initialized to be started later. An MPI may have none of these
// (`has_real`): then what Stretto leaves to it is an error.
template <class Real>
[[gnu::noinline]] int on_persistent(int entry_point, const Call& call, MPI_Request* request,
                                    bool has_real, const Real& real) {
  Decision decision = decide(call);
  if (!decision.is_native()) {
    if (Persistents::get().add(call, decision, request)) {
      counters::count_handled(entry_point, *decision.choice.algorithm);
      return MPI_SUCCESS;
    }
    decision.choice.reason = Reason::no_tags;
  }
  counters::count_passed(Engine::get(), entry_point, decision.choice.reason);
  expect_vectors(call);
  return has_real ? real() : refuse_persistent(decision);
}

// `parent`: has all of its ranks; MPI_COMM_NULL where none may have.
void attach_new(MPI_Comm comm, MPI_Comm parent);

template <class Real>
int on_attach(MPI_Comm parent, MPI_Comm* newcomm, const Real& real) {
  const int error = real();
  if (error == MPI_SUCCESS) attach_new(*newcomm, parent);
  return error;
}

template <class Real>
int on_track(Count count, MPI_Datatype datatype, MPI_Request* request, const Real& real) {
  const int error = real();
  if (error == MPI_SUCCESS && Tracked::worth(count, datatype)) Tracked::get().add(*request);
  return error;
}

#define STRETTO_REAL(name) decltype(&PMPI_##name)

int on_Init(STRETTO_REAL(Init) real, int* argc, char*** argv);
int on_Init_thread(STRETTO_REAL(Init_thread) real, int* argc, char*** argv, int required,
                   int* provided);
int on_Query_thread(STRETTO_REAL(Query_thread) real, void* caller, int* provided);
int on_Abort(STRETTO_REAL(Abort) real, MPI_Comm comm, int errorcode);
int on_Finalize(STRETTO_REAL(Finalize) real);

// Has Stretto nothing to do with whatever the program may test or wait for?
inline bool completes_natively() {
  if (needs_no_attention()) return true;
  // Not in a callback of the MPI's, which may hold one of its locks.
  if (this_thread.wrappers == 1) Engine::get().relax();
  return needs_no_attention();
}
int on_completion(const Completion& completion);

// Moves along what the program asks about.
void move_along(int count, const MPI_Request* requests);

// MPI_Request_get_status_any and its kind.
template <class Real>
int on_asking(int count, const MPI_Request* requests, const Real& real) {
  const Failures failures;  // its own: an outer wait that runs a callback does not learn of them
  move_along(count, requests);
  return real();
}

int on_Request_get_status(STRETTO_REAL(Request_get_status) real, MPI_Request request, int* flag,
                          MPI_Status* status);
int on_Request_free(STRETTO_REAL(Request_free) real, MPI_Request* request);

int on_Start(STRETTO_REAL(Start) real, MPI_Request* request);
int on_Startall(STRETTO_REAL(Startall) real, int count, MPI_Request* requests);

int on_Type_free(STRETTO_REAL(Type_free) real, MPI_Datatype* datatype);
int on_Op_free(STRETTO_REAL(Op_free) real, MPI_Op* op);
int on_Comm_set_errhandler(STRETTO_REAL(Comm_set_errhandler) real, MPI_Comm comm,
                           MPI_Errhandler errhandler);
int on_File_open(STRETTO_REAL(File_open) real, MPI_Comm comm, const char* filename, int amode,
                 MPI_Info info, MPI_File* fh);

int on_Dist_graph_create(STRETTO_REAL(Dist_graph_create) real, MPI_Comm comm_old, int n,
                         const int* sources, const int* degrees, const int* destinations,
                         const int* weights, MPI_Info info, int reorder, MPI_Comm* newcomm);
int on_Intercomm_create(STRETTO_REAL(Intercomm_create) real, MPI_Comm local_comm, int local_leader,
                        MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm* newcomm);
int on_Comm_free(STRETTO_REAL(Comm_free) real, MPI_Comm* comm);
int on_Comm_disconnect(STRETTO_REAL(Comm_disconnect) real, MPI_Comm* comm);

}  // namespace stretto::intercept::accelerate
