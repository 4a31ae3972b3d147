// Operations that were started, and the ways to wait for them.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "job.hpp"

namespace differential {

struct Pending {
  Id id = 0;  // of the action that started it
  std::shared_ptr<Job> job;
  MPI_Request request = MPI_REQUEST_NULL;
  bool persistent = false;  // the request stays
};

constexpr int kWaysToWait = 9;
constexpr int kWaitall = 1;
constexpr int kTestall = 5;

// Waits for all of `requests` by one of the ways; null and inactive ones may be among them.
// Returns an MPI error code.
int wait_for(std::vector<MPI_Request>& requests, int way);

}  // namespace differential
