#include "intercept/whatif/completions.hpp"

#include <algorithm>
#include <span>

#include "base/short_list.hpp"
#include "intercept/whatif/hooks.hpp"

namespace stretto::intercept::whatif {
namespace {

// Copies of the program's handles.
class Handles : public ShortList<MPI_Request> {
 public:
  Handles(int count, const MPI_Request* requests)
      : ShortList(requests, requests + std::max(count, 0)) {}
};

// The program's array of statuses, or one of ours where it has none.
class Statuses {
 public:
  Statuses(int count, MPI_Status* theirs) : theirs_(theirs) {
    if (theirs == MPI_STATUSES_IGNORE) own_.resize(static_cast<std::size_t>(std::max(count, 1)));
  }
  [[nodiscard]] MPI_Status* data() { return own_.empty() ? theirs_ : own_.data(); }

 private:
  MPI_Status* theirs_;
  ShortList<MPI_Status> own_;
};

void forget_all(std::span<const MPI_Request> handles) {
  for (const MPI_Request handle : handles) Requests::get().forget(handle);
}

void complete_all(std::span<const MPI_Request> handles, const MPI_Status* statuses) {
  ShortList<Requests::Completed> completed;
  completed.reserve(handles.size());
  for (std::size_t i = 0; i < handles.size(); ++i) completed.emplace_back(handles[i], statuses[i]);
  Requests::get().complete(completed);
}

void complete_some(std::span<const MPI_Request> handles, int count, const int* indices,
                   const MPI_Status* statuses) {
  ShortList<Requests::Completed> completed;
  completed.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    completed.emplace_back(handles[static_cast<std::size_t>(indices[i])], statuses[i]);
  }
  Requests::get().complete(completed);
}

void complete_one(MPI_Request handle, const MPI_Status& status) {
  const Requests::Completed one{handle, status};
  Requests::get().complete({&one, 1});
}

// The handles without those of collectives whose end is not known yet: they are not complete,
// whatever the MPI knows of its own part in them.
class Known {
 public:
  Known(int count, MPI_Request* requests) : theirs_(requests), handles_(count, requests) {
    for (MPI_Request& handle : handles_) {
      if (!Requests::get().is_unanswered(handle)) continue;
      handle = native().request_null;
      is_all_ = false;
    }
    before_.assign(handles_.begin(), handles_.end());
  }

  [[nodiscard]] MPI_Request* data() { return is_all_ ? theirs_ : handles_.data(); }
  [[nodiscard]] bool is_all() const { return is_all_; }
  // What became of the others.
  void write_back() {
    for (std::size_t i = 0; !is_all_ && i < handles_.size(); ++i) {
      if (before_[i] != native().request_null) theirs_[i] = handles_[i];
    }
  }

 private:
  MPI_Request* theirs_;
  Handles handles_;
  ShortList<MPI_Request> before_;
  bool is_all_ = true;
};

bool any_unanswered(std::span<const MPI_Request> handles) {
  return std::any_of(handles.begin(), handles.end(),
                     [](MPI_Request handle) { return Requests::get().is_unanswered(handle); });
}

// Waits by testing where others need this rank's core or its answers.
template <class Wait, class Test>
int wait_or_test(std::span<const MPI_Request> handles, Wait wait, Test test) {
  wait_until([&] { return !any_unanswered(handles); });
  const Touching touching;
  if (!must_stay_awake()) return wait();
  int error = MPI_SUCCESS;
  wait_until([&] {
    int done = 0;
    error = test(&done);
    return done != 0 || error != MPI_SUCCESS;
  });
  return error;
}

// All of them, one after the other; `complete` already are. Not by MPI_Testall: MPICH 5.0's fails
// for persistent collectives that went well.
int test_further(int count, MPI_Request* requests, int* complete, int* done, MPI_Status* statuses) {
  for (; *complete < count; ++*complete) {
    MPI_Status& status = statuses[*complete];
    int flag = 0;
    const int error = native().Test(&requests[*complete], &flag, &status);
    if (error != MPI_SUCCESS) {
      for (int i = 0; i < count; ++i) {
        statuses[i].MPI_ERROR = i < *complete ? MPI_SUCCESS : MPI_ERR_PENDING;
      }
      status.MPI_ERROR = error;
      return MPI_ERR_IN_STATUS;
    }
    if (flag == 0) return MPI_SUCCESS;
  }
  *done = 1;
  return MPI_SUCCESS;
}

// What a test of several found complete.
enum class Found : std::uint8_t { none, some, nothing_to_find };

// Tests those whose end is known, once.
template <class Test>
Found test_known(int count, MPI_Request* requests, int* error, Test test) {
  Known known(count, requests);
  const Found found = test(known.data(), error);
  known.write_back();
  return found == Found::nothing_to_find && !known.is_all() ? Found::none : found;
}

template <class Test>
int wait_for_any(int count, MPI_Request* requests, Test test) {
  const Touching touching;
  int error = MPI_SUCCESS;
  wait_until([&] {
    return test_known(count, requests, &error, test) != Found::none || error != MPI_SUCCESS;
  });
  return error;
}

auto tests_any(int count, int* index, MPI_Status* status) {
  return [=](MPI_Request* requests, int* error) {
    int done = 0;
    *error = native().Testany(count, requests, index, &done, status);
    if (done == 0) return Found::none;
    return *index == MPI_UNDEFINED ? Found::nothing_to_find : Found::some;
  };
}

auto tests_some(int count, int* outcount, int* indices, MPI_Status* statuses) {
  return [=](MPI_Request* requests, int* error) {
    *error = native().Testsome(count, requests, outcount, indices, statuses);
    if (*outcount == MPI_UNDEFINED) return Found::nothing_to_find;
    return *outcount == 0 ? Found::none : Found::some;
  };
}

bool must_test(std::span<const MPI_Request> handles) {
  return must_stay_awake() || any_unanswered(handles);
}

}  // namespace

int on_Wait(decltype(&PMPI_Wait) real, MPI_Request* request, MPI_Status* status) {
  const Pause pause;
  const MPI_Request handle = *request;
  MPI_Status own{};
  const int error = wait_or_test(
      {&handle, 1}, [&] { return real(request, &own); },
      [&](int* done) { return native().Test(request, done, &own); });
  if (error == MPI_SUCCESS) {
    complete_one(handle, own);
  } else {
    forget_all({&handle, 1});
  }
  hand_out(own, status);
  return error;
}

int on_Test(decltype(&PMPI_Test) real, MPI_Request* request, int* flag, MPI_Status* status) {
  const Pause pause(Stops::to_poll);
  const MPI_Request handle = *request;
  MPI_Status own{};
  if (Requests::get().is_unanswered(handle)) {
    polled();
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int error = touching([&] { return real(request, flag, &own); });
  if (error != MPI_SUCCESS) {
    forget_all({&handle, 1});
  } else if (*flag == 0) {
    polled();
    return error;
  } else {
    complete_one(handle, own);
  }
  hand_out(own, status);
  return error;
}

int on_Waitall(decltype(&PMPI_Waitall) real, int count, MPI_Request requests[],
               MPI_Status statuses[]) {
  const Pause pause;
  const Handles handles(count, requests);
  Statuses into(count, statuses);
  int complete = 0;
  const int error = wait_or_test(
      handles, [&] { return real(count, requests, into.data()); },
      [&](int* done) { return test_further(count, requests, &complete, done, into.data()); });
  if (error == MPI_SUCCESS) {
    complete_all(handles, into.data());
  } else {
    forget_all(handles);
  }
  return error;
}

int on_Testall(decltype(&PMPI_Testall) real, int count, MPI_Request requests[], int* flag,
               MPI_Status statuses[]) {
  const Pause pause(Stops::to_poll);
  const Handles handles(count, requests);
  Statuses into(count, statuses);
  if (any_unanswered(handles)) {
    polled();
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int error = touching([&] { return real(count, requests, flag, into.data()); });
  if (error != MPI_SUCCESS) {
    forget_all(handles);
  } else if (*flag == 0) {
    polled();
  } else {
    complete_all(handles, into.data());
  }
  return error;
}

int on_Waitany(decltype(&PMPI_Waitany) real, int count, MPI_Request requests[], int* index,
               MPI_Status* status) {
  const Pause pause;
  const Handles handles(count, requests);
  MPI_Status own{};
  const int error = must_test(handles)
                        ? wait_for_any(count, requests, tests_any(count, index, &own))
                        : touching([&] { return real(count, requests, index, &own); });
  if (error == MPI_SUCCESS && *index != MPI_UNDEFINED) {
    complete_one(handles[static_cast<std::size_t>(*index)], own);
  }
  hand_out(own, status);
  return error;
}

int on_Testany(decltype(&PMPI_Testany) /*real*/, int count, MPI_Request requests[], int* index,
               int* flag, MPI_Status* status) {
  const Pause pause(Stops::to_poll);
  const Handles handles(count, requests);
  MPI_Status own{};
  int error = MPI_SUCCESS;
  const Found found = test_known(count, requests, &error, tests_any(count, index, &own));
  *flag = found == Found::none ? 0 : 1;
  if (error != MPI_SUCCESS) return error;
  if (found == Found::none) {
    *index = MPI_UNDEFINED;
    polled();
    return error;
  }
  if (found == Found::some) complete_one(handles[static_cast<std::size_t>(*index)], own);
  hand_out(own, status);
  return error;
}

int on_Waitsome(decltype(&PMPI_Waitsome) real, int incount, MPI_Request requests[], int* outcount,
                int indices[], MPI_Status statuses[]) {
  const Pause pause;
  const Handles handles(incount, requests);
  Statuses into(incount, statuses);
  const auto tests = tests_some(incount, outcount, indices, into.data());
  const int error = must_test(handles) ? wait_for_any(incount, requests, tests) : touching([&] {
    return real(incount, requests, outcount, indices, into.data());
  });
  if (error == MPI_SUCCESS && *outcount != MPI_UNDEFINED) {
    complete_some(handles, *outcount, indices, into.data());
  }
  return error;
}

int on_Testsome(decltype(&PMPI_Testsome) /*real*/, int incount, MPI_Request requests[],
                int* outcount, int indices[], MPI_Status statuses[]) {
  const Pause pause(Stops::to_poll);
  const Handles handles(incount, requests);
  Statuses into(incount, statuses);
  int error = MPI_SUCCESS;
  const auto tests = tests_some(incount, outcount, indices, into.data());
  const Found found = test_known(incount, requests, &error, tests);
  if (error != MPI_SUCCESS) return error;
  if (found == Found::none) {
    *outcount = 0;
    polled();
  } else if (found == Found::some) {
    complete_some(handles, *outcount, indices, into.data());
  }
  return error;
}

int on_Request_get_status(decltype(&PMPI_Request_get_status) real, MPI_Request request, int* flag,
                          MPI_Status* status) {
  const Pause pause(Stops::to_poll);
  if (Requests::get().is_unanswered(request)) {
    polled();
    *flag = 0;
    return MPI_SUCCESS;
  }
  const int error = real(request, flag, status);
  if (error != MPI_SUCCESS) return error;
  if (*flag == 0) {
    polled();
  } else {
    Requests::get().saw_complete(request);
  }
  return error;
}

int on_Request_free(decltype(&PMPI_Request_free) real, MPI_Request* request) {
  const Pause pause;
  const MPI_Request handle = *request;
  const int error = real(request);
  if (error == MPI_SUCCESS) Requests::get().remove(handle);
  return error;
}

int on_Start(decltype(&PMPI_Start) real, MPI_Request* request) {
  const Pause pause;
  Requests::get().start(*request);
  const int error = real(request);
  Requests::get().started(*request);
  return error;
}

int on_Startall(decltype(&PMPI_Startall) real, int count, MPI_Request requests[]) {
  const Pause pause;
  for (int i = 0; i < count; ++i) Requests::get().start(requests[i]);
  const int error = real(count, requests);
  for (int i = 0; i < count; ++i) Requests::get().started(requests[i]);
  return error;
}

}  // namespace stretto::intercept::whatif
