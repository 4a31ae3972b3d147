#include "intercept/whatif/completions.hpp"

#include <algorithm>
#include <vector>

#include "intercept/whatif/hooks.hpp"

namespace stretto::intercept::whatif {
namespace {

using Handles = std::vector<MPI_Request>;

Handles copies(int count, const MPI_Request* requests) {
  return count > 0 ? Handles(requests, requests + count) : Handles{};
}

// The program's array of statuses, or one of ours where it has none.
class Statuses {
 public:
  Statuses(int count, MPI_Status* theirs) : theirs_(theirs) {
    if (theirs == MPI_STATUSES_IGNORE) own_.resize(static_cast<std::size_t>(std::max(count, 1)));
  }
  [[nodiscard]] MPI_Status* data() { return own_.empty() ? theirs_ : own_.data(); }

 private:
  MPI_Status* theirs_;
  std::vector<MPI_Status> own_;
};

void forget_all(const Handles& handles) {
  for (const MPI_Request handle : handles) Requests::get().forget(handle);
}

void complete_all(const Handles& handles, const MPI_Status* statuses) {
  std::vector<Requests::Completed> completed;
  completed.reserve(handles.size());
  for (std::size_t i = 0; i < handles.size(); ++i) completed.emplace_back(handles[i], statuses[i]);
  Requests::get().complete(completed);
}

void complete_some(const Handles& handles, int count, const int* indices,
                   const MPI_Status* statuses) {
  std::vector<Requests::Completed> completed;
  completed.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    completed.emplace_back(handles[static_cast<std::size_t>(indices[i])], statuses[i]);
  }
  Requests::get().complete(completed);
}

void complete_one(MPI_Request handle, const MPI_Status& status) {
  Requests::get().complete({{handle, status}});
}

// Waits by testing where others need this rank's core.
template <class Wait, class Test>
int wait_or_test(Wait wait, Test test) {
  if (!Process::get().mailbox.is_crowded()) return wait();
  int error = MPI_SUCCESS;
  wait_until([&] {
    int done = 0;
    error = test(&done);
    return done != 0 || error != MPI_SUCCESS;
  });
  return error;
}

}  // namespace

int on_Wait(decltype(&PMPI_Wait) real, MPI_Request* request, MPI_Status* status) {
  const Pause pause;
  const MPI_Request handle = *request;
  MPI_Status own{};
  const int error = wait_or_test([&] { return real(request, &own); },
                                 [&](int* done) { return native().Test(request, done, &own); });
  if (error == MPI_SUCCESS) {
    complete_one(handle, own);
  } else {
    forget_all({handle});
  }
  hand_out(own, status);
  return error;
}

int on_Test(decltype(&PMPI_Test) real, MPI_Request* request, int* flag, MPI_Status* status) {
  const Pause pause(true);
  const MPI_Request handle = *request;
  MPI_Status own{};
  const int error = real(request, flag, &own);
  if (error != MPI_SUCCESS) {
    forget_all({handle});
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
  const Handles handles = copies(count, requests);
  Statuses into(count, statuses);
  const int error =
      wait_or_test([&] { return real(count, requests, into.data()); },
                   [&](int* done) { return native().Testall(count, requests, done, into.data()); });
  if (error == MPI_SUCCESS) {
    complete_all(handles, into.data());
  } else {
    forget_all(handles);
  }
  return error;
}

int on_Testall(decltype(&PMPI_Testall) real, int count, MPI_Request requests[], int* flag,
               MPI_Status statuses[]) {
  const Pause pause(true);
  const Handles handles = copies(count, requests);
  Statuses into(count, statuses);
  const int error = real(count, requests, flag, into.data());
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
  const Handles handles = copies(count, requests);
  MPI_Status own{};
  const int error =
      wait_or_test([&] { return real(count, requests, index, &own); },
                   [&](int* done) { return native().Testany(count, requests, index, done, &own); });
  if (error == MPI_SUCCESS && *index != MPI_UNDEFINED) {
    complete_one(handles[static_cast<std::size_t>(*index)], own);
  }
  hand_out(own, status);
  return error;
}

int on_Testany(decltype(&PMPI_Testany) real, int count, MPI_Request requests[], int* index,
               int* flag, MPI_Status* status) {
  const Pause pause(true);
  const Handles handles = copies(count, requests);
  MPI_Status own{};
  const int error = real(count, requests, index, flag, &own);
  if (error != MPI_SUCCESS) return error;
  if (*flag == 0) {
    polled();
    return error;
  }
  if (*index != MPI_UNDEFINED) complete_one(handles[static_cast<std::size_t>(*index)], own);
  hand_out(own, status);
  return error;
}

int on_Waitsome(decltype(&PMPI_Waitsome) real, int incount, MPI_Request requests[], int* outcount,
                int indices[], MPI_Status statuses[]) {
  const Pause pause;
  const Handles handles = copies(incount, requests);
  Statuses into(incount, statuses);
  const int error = wait_or_test(
      [&] { return real(incount, requests, outcount, indices, into.data()); },
      [&](int* done) {
        const int failed = native().Testsome(incount, requests, outcount, indices, into.data());
        *done = *outcount != 0 ? 1 : 0;  // MPI_UNDEFINED, too: there is nothing to wait for
        return failed;
      });
  if (error == MPI_SUCCESS && *outcount != MPI_UNDEFINED) {
    complete_some(handles, *outcount, indices, into.data());
  }
  return error;
}

int on_Testsome(decltype(&PMPI_Testsome) real, int incount, MPI_Request requests[], int* outcount,
                int indices[], MPI_Status statuses[]) {
  const Pause pause(true);
  const Handles handles = copies(incount, requests);
  Statuses into(incount, statuses);
  const int error = real(incount, requests, outcount, indices, into.data());
  if (error != MPI_SUCCESS || *outcount == MPI_UNDEFINED) return error;
  if (*outcount == 0) {
    polled();
  } else {
    complete_some(handles, *outcount, indices, into.data());
  }
  return error;
}

int on_Request_get_status(decltype(&PMPI_Request_get_status) real, MPI_Request request, int* flag,
                          MPI_Status* status) {
  const Pause pause(true);
  const int error = real(request, flag, status);
  if (error == MPI_SUCCESS && *flag == 0) polled();
  return error;
}

int on_Request_free(decltype(&PMPI_Request_free) real, MPI_Request* request) {
  const Pause pause;
  const MPI_Request handle = *request;
  const int error = real(request);
  if (error == MPI_SUCCESS) forget_all({handle});
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
