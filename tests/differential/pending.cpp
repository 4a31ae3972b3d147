#include "pending.hpp"

#include <sched.h>

namespace differential {
namespace {

// Tries until `test(&flag)` raises the flag or fails. Ranks may have to share a core.
template <class Test>
int until(const Test& test) {
  int flag = 0, error = MPI_SUCCESS;
  while (flag == 0 && error == MPI_SUCCESS) {
    error = test(&flag);
    if (flag == 0) sched_yield();
  }
  return error;
}

int wait_each(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) {
    const int error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int test_each(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) {
    const int error = until([&](int* flag) { return MPI_Test(&request, flag, MPI_STATUS_IGNORE); });
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int ask_then_wait(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) {
    const int error =
        until([&](int* flag) { return MPI_Request_get_status(request, flag, MPI_STATUS_IGNORE); });
    if (error != MPI_SUCCESS) return error;
  }
  return wait_each(requests);
}

int wait_any(std::vector<MPI_Request>& requests, int count) {
  int index = 0, error = MPI_SUCCESS;
  while (index != MPI_UNDEFINED && error == MPI_SUCCESS) {
    error = MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
  }
  return error;
}

int wait_some(std::vector<MPI_Request>& requests, int count) {
  std::vector<int> indices(requests.size());
  int done = 0, error = MPI_SUCCESS;
  while (done != MPI_UNDEFINED && error == MPI_SUCCESS) {
    error = MPI_Waitsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
  }
  return error;
}

int test_any(std::vector<MPI_Request>& requests, int count) {
  return until([&](int* over) {
    int index = 0, flag = 0;
    const int error = MPI_Testany(count, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    *over = flag != 0 && index == MPI_UNDEFINED ? 1 : 0;
    return error;
  });
}

int test_some(std::vector<MPI_Request>& requests, int count) {
  std::vector<int> indices(requests.size());
  return until([&](int* over) {
    int done = 0;
    const int error =
        MPI_Testsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
    *over = done == MPI_UNDEFINED ? 1 : 0;
    return error;
  });
}

}  // namespace

int wait_for(std::vector<MPI_Request>& requests, int way) {
  const int count = static_cast<int>(requests.size());
  switch (way) {
    case 0:
      return wait_each(requests);
    case kWaitall:
      return MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    case 2:
      return wait_any(requests, count);
    case 3:
      return wait_some(requests, count);
    case 4:
      return test_each(requests);
    case kTestall:
      return until([&](int* flag) {
        return MPI_Testall(count, requests.data(), flag, MPI_STATUSES_IGNORE);
      });
    case 6:
      return test_any(requests, count);
    case 7:
      return test_some(requests, count);
    default:
      return ask_then_wait(requests);
  }
}

}  // namespace differential
