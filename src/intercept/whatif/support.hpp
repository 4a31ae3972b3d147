// What hooks.hpp has no need to be a template for.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "intercept/whatif/process.hpp"
#include "intercept/whatif/requests.hpp"

namespace stretto::intercept::whatif {

// This rank must not wait inside of the MPI: others need its core, or its answers.
[[nodiscard]] bool must_stay_awake();

// May the nonblocking form of a neighbourhood collective stand for it? The same on all its ranks,
// as one form does not match the other. Those of Open MPI are wrong on rings of two ranks and of
// one.
[[nodiscard]] bool may_start(MPI_Comm comm);

// The communicator of a collective that virtual time follows, else nullptr.
[[nodiscard]] CommPtr followed_collective(const Call& call);

// All ranks of a communicator are about to make another of it together.
[[nodiscard]] Planned plan_attach(const CommPtr& comm, MPI_Comm handle, const char* function,
                                  void* caller);
void gather_for_attach(MPI_Comm comm, const char* function, void* caller);

// A posted receive is over; `status` says which message it was.
void conclude(Ticket ticket, int error, const MPI_Status& status);
void withdraw(Ticket ticket);

// A probe saw a message; `message` is not nullptr where it took it out.
void saw(const CommPtr& comm, const MPI_Status& status, const MPI_Message* message);
// What it had taken out, once.
[[nodiscard]] std::optional<ClockMessage> take_matched(MPI_Message message);

// A test or probe found nothing: who tries again soon only waits.
void polled();

// The time of the last question is of no poll that follows: some are answered without asking.
inline void forget_poll() {
  if (Process::is_clocked()) Process::get().poll_times.forget();
}

// Asks the MPI whether something has come, and takes the time of some of these calls.
template <class Ask>
int ask_once(Ask ask) {
  if (!Process::is_clocked()) return ask();
  PollTimes& times = Process::get().poll_times;
  forget_poll();
  if (!times.is_due()) return ask();
  const std::int64_t begin = now_ns();
  const int error = ask();
  times.took(now_ns() - begin);
  return error;
}

}  // namespace stretto::intercept::whatif
