// What the generated entry points do with calls of windows and files, and with others whose cost
// nobody models. Where all ranks of a communicator make the call together the clocks meet in it:
// it begins when the last one has come. From then on it takes the time that it takes here, of the
// rank that waits least, in all scenarios; the report says which calls those were.
#pragma once

#include "intercept/whatif/hooks.hpp"
#include "intercept/whatif/objects.hpp"

namespace stretto::intercept::whatif {

// A call that waits for nobody.
template <class Real>
int on_local(const char* function, Real real) {
  const Pause pause;
  Process& process = Process::get();
  static_cast<void>(process.in_mpi());
  const int error = real();
  process.passed(function, process.in_mpi());
  return error;
}

// The same, which `request` will complete.
template <class Real>
int on_local(const char* function, MPI_Request* request, Real real) {
  const int error = on_local(function, real);
  const Inside inside;
  if (error == MPI_SUCCESS) Requests::get().add(*request, Passes{function});
  return error;
}

// A call that may wait for other ranks, though it is not known for which.
template <class Real>
int on_alone(const char* function, Real real) {
  const Pause pause;
  return pass_unmodelled(function, real);
}

// The same, of a window: who polls its memory lets others work meanwhile.
template <class Real>
int on_polling(const char* function, Real real) {
  const Pause pause;
  const int error = pass_unmodelled(function, real);
  int times = 0;
  Process::get().rest(times);
  return error;
}

// All ranks make this call together. What it makes is called `name`, if it makes anything.
template <class Real>
int pass_together(const CommPtr& comm, const char* function, void* caller, std::int64_t* name,
                  Real real) {
  if (!comm || comm->size() == 1) return pass_unmodelled(function, real);
  Process& process = Process::get();
  Collectives::get().meet(comm, function, caller_in_program(caller));
  process.give_token();
  static_cast<void>(process.in_mpi());
  const int error = real();
  const auto took = static_cast<float>(process.in_mpi());
  const auto left = Collectives::get().leave(comm, took, name != nullptr);
  process.passed(function, static_cast<std::int64_t>(left.took_ns));
  if (name != nullptr) *name = left.name;
  return error;
}

template <class Real>
int on_together(const CommPtr& comm, const char* function, void* caller, Real real) {
  const Pause pause;
  return pass_together(comm, function, caller, nullptr, real);
}

template <class Handle, class Real>
int on_made(MPI_Comm parent, Handle* made, const char* function, void* caller, Real real) {
  const Pause pause;
  const CommPtr comm = Process::get().comms.find(parent);
  std::int64_t name = 0;
  const int error = pass_together(comm, function, caller, &name, real);
  if (error == MPI_SUCCESS && comm && comm->size() > 1) {
    Objects::get().add(key_of(*made), *comm, name);
  }
  return error;
}

// MPI_Win_free and MPI_File_close.
template <class Handle, class Real>
int on_unmade(Handle* made, const char* function, void* caller, Real real) {
  const Pause pause;
  const std::uintptr_t object = key_of(*made);
  const int error = pass_together(Objects::get().of(object), function, caller, nullptr, real);
  if (error == MPI_SUCCESS) Objects::get().remove(object);
  return error;
}

// The epochs between some ranks of a window are messages: from who posts to who starts, and back
// where that one completes.
inline constexpr int kPosted = 0;
inline constexpr int kCompleted = 1;

inline void notify(const CommPtr& comm, const std::vector<int>& ranks, int tag) {
  for (const int rank : ranks) {
    Messages::get().sends(comm, rank, tag, 0);
    Messages::sent(*comm, rank);
  }
}

template <class Real>
int on_Win_post(MPI_Group group, MPI_Win win, Real real) {
  const Pause pause;
  const CommPtr comm = Objects::get().of(key_of(win));
  if (!comm) return pass_unmodelled("MPI_Win_post", real);
  Objects::get().post(key_of(win), group);
  notify(comm, Objects::get().posted(key_of(win)), kPosted);
  return pass(real);
}

template <class Real>
int on_Win_start(MPI_Group group, MPI_Win win, Real real) {
  const Pause pause;
  const CommPtr comm = Objects::get().of(key_of(win));
  if (!comm) return pass_unmodelled("MPI_Win_start", real);
  Objects::get().start(key_of(win), group);
  Messages::get().take_in(comm, Objects::get().started(key_of(win)), kPosted);
  return pass(real);
}

template <class Real>
int on_Win_complete(MPI_Win win, Real real) {
  const Pause pause;
  const CommPtr comm = Objects::get().of(key_of(win));
  if (!comm) return pass_unmodelled("MPI_Win_complete", real);
  notify(comm, Objects::get().started(key_of(win)), kCompleted);
  Objects::get().complete(key_of(win));
  return pass(real);
}

inline void end_exposure(const CommPtr& comm, MPI_Win win) {
  Messages::get().take_in(comm, Objects::get().posted(key_of(win)), kCompleted);
  Objects::get().wait(key_of(win));
}

// `test` is MPI_Win_test.
template <class Real, class Test>
int on_Win_wait(MPI_Win win, Real real, Test test) {
  const Pause pause;
  const CommPtr comm = Objects::get().of(key_of(win));
  if (!comm) return pass_unmodelled("MPI_Win_wait", real);
  int error = MPI_SUCCESS;
  if (must_stay_awake()) {
    int done = 0;
    wait_until([&] {
      error = test(&done);
      return done != 0 || error != MPI_SUCCESS;
    });
  } else {
    error = pass(real);
  }
  if (error == MPI_SUCCESS) end_exposure(comm, win);
  return error;
}

template <class Real>
int on_Win_test(MPI_Win win, int* flag, Real real) {
  const Pause pause(Stops::to_poll);
  const int error = ask_once(real);
  const CommPtr comm = Objects::get().of(key_of(win));
  if (error != MPI_SUCCESS || !comm) return error;
  if (*flag == 0) {
    polled();
  } else {
    end_exposure(comm, win);
  }
  return error;
}

}  // namespace stretto::intercept::whatif
