// What the generated entry points do with a call.
#pragma once

#include <climits>

#include "base/clock.hpp"
#include "intercept/shared/caller.hpp"
#include "intercept/shared/entry.hpp"
#include "intercept/whatif/completions.hpp"
#include "intercept/whatif/session.hpp"
#include "intercept/whatif/support.hpp"
#include "mpi/traffic.hpp"

namespace stretto::intercept::whatif {

// Runs the MPI's own call, which may wait for other ranks: they get this one's turn.
template <class Real>
int pass(Real real) {
  Process::get().give_token();
  const FirstTouchScope first_touches;
  return real();
}

// The same, for a call that does not wait.
template <class Real>
int run_local(Real real) {
  const FirstTouchScope held;
  return real();
}

// The same, for a call that nobody models: it takes the time that it takes.
template <class Real>
int pass_unmodelled(const char* function, Real real) {
  Process& process = Process::get();
  process.give_token();
  static_cast<void>(process.in_mpi());
  const int error = real();
  process.passed(function, process.in_mpi());
  return error;
}

// The same, of a communicator that virtual time does not follow.
template <class Real>
int pass_unfollowed(const char* function, Real real) {
  const int error = pass_unmodelled(function, real);
  const Lock lock(Process::get().mutex);
  ++Process::get().flags.not_followed;
  return error;
}

// Until `is_done`: others of this host run meanwhile.
template <class IsDone>
void wait_until(IsDone is_done) {
  for (int times = 0; !is_done();) Process::get().rest(times);
}

// Until the MPI says so; returns its error code.
inline int wait_for(MPI_Request& request, MPI_Status* status) {
  const FirstTouchScope first_touches;
  int error = MPI_SUCCESS;
  wait_until([&] {
    int done = 0;
    error = native().Test(&request, &done, status);
    return done != 0 || error != MPI_SUCCESS;
  });
  return error;
}

// Where a waiting call is replaced by one that does not wait, which counts in int.
inline bool sleeps_for(Count count) { return count <= INT_MAX && must_stay_awake(); }

// Of a message: nullptr where it goes nowhere, or virtual time does not follow it.
inline CommPtr followed(MPI_Comm comm, int peer) {
  const CommPtr known = Process::get().comms.find(comm);
  const bool is_peer = known && (peer == MPI_ANY_SOURCE || (peer >= 0 && peer < known->size()));
  return is_peer ? known : nullptr;
}

template <class Real>
int pass_message(int peer, Real real) {
  return peer == MPI_PROC_NULL ? real() : pass_unfollowed("messages between groups", real);
}

template <class Real>
int on_collective(const Call& call, const char* function, void* caller, Real real) {
  const Pause pause;
  const CommPtr comm = followed_collective(call);
  if (!comm) return pass_unfollowed(function, real);
  Planned planned = Collectives::plan(comm, call, function, caller_in_program(caller));
  const Begun begun = Collectives::get().begin(planned);
  if (!planned.together() || must_stay_awake()) {
    Collectives::get().finish(begun, false);
    return pass(real);
  }
  // The others' messages come meanwhile.
  FirstTouchScope first_touches;
  const int error = real();
  first_touches.stop();
  Collectives::get().finish(begun, false);
  return error;
}

// Unlike the others its ranks do not all wait for each other: neighbours may still wait for what
// this one works out. So all of them call `start`, the nonblocking form.
template <class Real, class Start>
int on_neighborhood(const Call& call, const char* function, void* caller, Real real, Start start) {
  const Pause pause;
  const CommPtr comm = followed_collective(call);
  if (!comm) return pass_unfollowed(function, real);
  Planned planned = Collectives::plan(comm, call, function, caller_in_program(caller));
  Collectives::get().finish(Collectives::get().begin(planned), false);
  if (!may_start(call.comm)) return pass(real);
  MPI_Request request = native().request_null;
  const int error = start(&request);
  return error == MPI_SUCCESS ? wait_for(request, MPI_STATUS_IGNORE) : error;
}

template <class Real>
int on_start(const Call& call, const char* function, void* caller, MPI_Request* request,
             Real real) {
  const Pause pause;
  const CommPtr comm = followed_collective(call);
  if (!comm) return pass_unfollowed(function, real);
  Planned planned = Collectives::plan(comm, call, function, caller_in_program(caller));
  const Begun begun = Collectives::get().begin(planned);
  const int error = run_local(real);
  if (error == MPI_SUCCESS) Requests::get().add(*request, begun);
  return error;
}

// A persistent collective: nothing happens in virtual time before MPI_Start.
template <class Real>
int on_initialized(const Call& call, const char* function, void* caller, MPI_Request* request,
                   Real real) {
  const Pause pause;
  const CommPtr comm = followed_collective(call);
  if (!comm) return pass_unfollowed(function, real);
  Planned planned = Collectives::plan(comm, call, function, caller_in_program(caller));
  const int error = pass(real);
  if (error == MPI_SUCCESS) {
    auto collective = std::make_shared<Planned>(std::move(planned));
    Requests::get().add_persistent(*request, {.collective = std::move(collective)});
  }
  return error;
}

// MPI_Comm_idup: the new communicator is known once its request is complete.
template <class Real>
int on_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request, const char* function,
            void* caller, Real real) {
  const Pause pause;
  const CommPtr known = Process::get().comms.find(comm);
  if (!known) return pass_unfollowed(function, real);
  Planned planned = plan_attach(known, comm, function, caller_in_program(caller));
  planned.names = true;
  Begun begun = Collectives::get().begin(planned);
  const int error = real();
  // Its handle is there at once; where it lies, in Fortran a copy, may not last.
  begun.duplicate = *newcomm;
  if (error == MPI_SUCCESS) Requests::get().add(*request, begun);
  return error;
}

// `parent` is the communicator whose ranks all take part, or MPI_COMM_NULL.
template <class Real>
int on_attach(MPI_Comm parent, MPI_Comm* newcomm, const char* function, void* caller, Real real) {
  const Pause pause;
  gather_for_attach(parent, function, caller_in_program(caller));
  const int error = pass(real);
  if (error == MPI_SUCCESS && *newcomm != native().comm_null) {
    Process::get().comms.attach(*newcomm);
  }
  return error;
}

template <class Real, class Isend>
int on_send(Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, Real real,
            Isend isend) {
  const Pause pause;
  const CommPtr known = followed(comm, dest);
  if (!known) return pass_message(dest, real);
  Messages::get().sends(known, dest, tag, bytes_of(count, type));
  if (!sleeps_for(count)) return pass(real);
  MPI_Request request = native().request_null;
  const int error = isend(&request);
  Messages::sent(*known, dest);
  return error == MPI_SUCCESS ? wait_for(request, MPI_STATUS_IGNORE) : error;
}

template <class Real>
int on_isend(Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, Real real) {
  const Pause pause;
  const CommPtr known = followed(comm, dest);
  if (!known) return pass_message(dest, real);
  Messages::get().sends(known, dest, tag, bytes_of(count, type));
  const int error = real();
  Messages::sent(*known, dest);
  return error;
}

inline void hand_out(const MPI_Status& status, MPI_Status* to) {
  if (to != MPI_STATUS_IGNORE) *to = status;
}

template <class Real, class Irecv>
int on_recv(Count count, int source, int tag, MPI_Comm comm, MPI_Status* status, Real real,
            Irecv irecv) {
  const Pause pause;
  const CommPtr known = followed(comm, source);
  if (!known) return pass_message(source, [&] { return real(status); });
  const Ticket ticket = Messages::get().post(known, source, tag);
  MPI_Status own{};
  int error = MPI_SUCCESS;
  if (sleeps_for(count)) {
    MPI_Request request = native().request_null;
    error = irecv(&request);
    if (error == MPI_SUCCESS) error = wait_for(request, &own);
  } else {
    error = pass([&] { return real(&own); });
  }
  conclude(ticket, error, own);
  hand_out(own, status);
  return error;
}

template <class Real>
int start_receive(int source, int tag, MPI_Comm comm, MPI_Request* request, Real real) {
  const CommPtr known = followed(comm, source);
  if (!known) return pass_message(source, real);
  const Ticket ticket = Messages::get().post(known, source, tag);
  const int error = run_local(real);
  if (error == MPI_SUCCESS) {
    Requests::get().add(*request, Receive{ticket});
  } else {
    withdraw(ticket);
  }
  return error;
}

template <class Real>
int on_irecv(int source, int tag, MPI_Comm comm, MPI_Request* request, Real real) {
  const Pause pause;
  return start_receive(source, tag, comm, request, real);
}

// MPI_Sendrecv and MPI_Sendrecv_replace.
// `start` begins both without waiting; false where it cannot.
template <class Real, class Start>
int on_sendrecv(Count count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                MPI_Comm comm, MPI_Status* status, Real real, Start start) {
  const Pause pause;
  const CommPtr to = followed(comm, dest);
  const CommPtr from = followed(comm, source);
  if (to) Messages::get().sends(to, dest, sendtag, bytes_of(count, type));
  if (!from) return pass([&] { return real(status); });
  const Ticket ticket = Messages::get().post(from, source, recvtag);
  MPI_Status own{};
  int error = MPI_SUCCESS;
  MPI_Request both[2] = {native().request_null, native().request_null};
  if (sleeps_for(count) && start(both)) {
    if (to) Messages::sent(*to, dest);
    error = wait_for(both[0], &own);
    const int sent = wait_for(both[1], MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS) error = sent;
  } else {
    error = pass([&] { return real(&own); });
  }
  conclude(ticket, error, own);
  hand_out(own, status);
  return error;
}

// MPI_Isendrecv and its kind: what is received is what its request completes.
template <class Real>
int on_isendrecv(Count count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                 MPI_Comm comm, MPI_Request* request, Real real) {
  const Pause pause;
  const CommPtr to = followed(comm, dest);
  if (to) Messages::get().sends(to, dest, sendtag, bytes_of(count, type));
  const int error = start_receive(source, recvtag, comm, request, real);
  if (to) Messages::sent(*to, dest);
  return error;
}

template <class Real>
int on_persistent(bool sends, std::int64_t bytes, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request, Real real) {
  const Pause pause;
  const CommPtr known = followed(comm, peer);
  if (!known) return pass_message(peer, real);
  const int error = real();
  if (error == MPI_SUCCESS) {
    Requests::get().add_persistent(*request, {sends, known, peer, tag, bytes, nullptr});
  }
  return error;
}

// MPI_Probe and MPI_Mprobe; `probe` is MPI_Iprobe or MPI_Improbe: is there one?
template <class Real, class Probe>
int on_probe(int source, MPI_Comm comm, MPI_Message* message, MPI_Status* status, Real real,
             Probe probe) {
  const Pause pause;
  const CommPtr known = followed(comm, source);
  if (!known) return pass_message(source, [&] { return real(status); });
  MPI_Status own{};
  int error = MPI_SUCCESS;
  if (must_stay_awake()) {
    int found = 0;
    wait_until([&] {
      error = probe(&found, &own);
      return found != 0 || error != MPI_SUCCESS;
    });
  } else {
    error = real(&own);
  }
  if (error == MPI_SUCCESS) saw(known, own, message);
  hand_out(own, status);
  return error;
}

// MPI_Iprobe and MPI_Improbe.
template <class Real>
int on_iprobe(int source, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status,
              Real real) {
  const Pause pause(Stops::to_poll);
  const CommPtr known = followed(comm, source);
  if (!known) return pass_message(source, [&] { return real(status); });
  MPI_Status own{};
  const int error = ask_once([&] { return real(&own); });
  if (error != MPI_SUCCESS) return error;
  if (*flag == 0) {
    polled();
  } else {
    saw(known, own, message);
    hand_out(own, status);
  }
  return error;
}

// MPI_Mrecv and MPI_Imrecv; `request` is nullptr in the former.
template <class Real>
int on_matched(MPI_Message* message, MPI_Request* request, Real real) {
  const Pause pause;
  const auto taken = take_matched(*message);
  const int error = pass(real);
  if (error == MPI_SUCCESS && taken) {
    if (request == nullptr) {
      ClockMessage one = *taken;
      Messages::get().received({&one, 1});
    } else {
      Requests::get().add(*request, MatchedReceive{*taken});
    }
  }
  return error;
}

}  // namespace stretto::intercept::whatif
