// Waiting, testing and freeing: the rest of stretto.h.

#include <algorithm>
#include <utility>

#include "api/call.hpp"
#include "api/request.hpp"
#include "base/version.hpp"

namespace stretto {
namespace {

// A null request, or a persistent one that is not started: nothing to wait for.
bool is_inactive(stretto_request request) {
  return request == STRETTO_REQUEST_NULL || (request->starts && !request->active);
}

bool is_complete(stretto_request request) {
  if (is_inactive(request)) return true;
  if (request->operation != nullptr) return request->operation->done();
  if (request->error != MPI_SUCCESS) return true;
  int flag = 0;
  request->error = native().Test(&request->native, &flag, MPI_STATUS_IGNORE);
  // An MPI request that is done is null from now on, and stays complete.
  return flag != 0 || request->error != MPI_SUCCESS;
}

// `request` is complete: frees it, or makes a persistent one inactive, and reports how it went.
int conclude(stretto_request* request) {
  const stretto_request done = *request;
  if (is_inactive(done)) return MPI_SUCCESS;
  const MPI_Comm comm = done->comm;
  const int native_error = std::exchange(done->error, MPI_SUCCESS);
  int error = MPI_SUCCESS;
  if (done->operation != nullptr) {
    error = done->operation->error();
    Engine::release(std::exchange(done->operation, nullptr));
  }
  done->active = false;
  if (!done->starts) {
    *request = STRETTO_REQUEST_NULL;
    delete done;
  }
  return native_error != MPI_SUCCESS ? native_error : report(comm, error);
}

class AwaitedStrettoRequests : public Awaited {
 public:
  AwaitedStrettoRequests(int count, const stretto_request* requests)
      : count_(count), requests_(requests) {}
  [[nodiscard]] bool has(const Operation& operation) const override {
    return std::any_of(requests_, requests_ + std::max(count_, 0), [&](stretto_request request) {
      return request != STRETTO_REQUEST_NULL && request->operation == &operation;
    });
  }

 private:
  int count_;
  const stretto_request* requests_;
};

// Where Stretto was never used every request is null, and no engine is open.
void poll(int count, const stretto_request* requests) {
  const AwaitedStrettoRequests awaited(count, requests);
  if (Engine::get().is_open()) Engine::get().progress();
}

template <class Finished>
void wait_until(int count, const stretto_request* requests, const Finished& finished) {
  const AwaitedStrettoRequests awaited(count, requests);
  Engine::get().wait_until(finished);
}

int conclude_all(int count, stretto_request requests[]) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const int error = conclude(&requests[i]);
    if (result == MPI_SUCCESS) result = error;
  }
  return result;
}

bool all_complete(int count, const stretto_request requests[]) {
  bool all = true;
  for (int i = 0; i < count; ++i) all = is_complete(requests[i]) && all;
  return all;
}

// Index of a complete one that is active; MPI_UNDEFINED where none is, -1 where
// none is complete yet.
constexpr int kNoneYet = -1;
int find_complete(int count, const stretto_request requests[]) {
  bool any = false;
  for (int i = 0; i < count; ++i) {
    if (is_inactive(requests[i])) continue;
    any = true;
    if (is_complete(requests[i])) return i;
  }
  return any ? kNoneYet : MPI_UNDEFINED;
}

int conclude_some(int count, stretto_request requests[], int* outcount, int indices[]) {
  int result = MPI_SUCCESS;
  int concluded = 0;
  bool any = false;
  for (int i = 0; i < count; ++i) {
    if (is_inactive(requests[i])) continue;
    any = true;
    if (!is_complete(requests[i])) continue;
    const int error = conclude(&requests[i]);
    if (result == MPI_SUCCESS) result = error;
    indices[concluded++] = i;
  }
  *outcount = any ? concluded : MPI_UNDEFINED;
  return result;
}

}  // namespace
}  // namespace stretto

using namespace stretto;

extern "C" {

const char* stretto_version(void) { return STRETTO_VERSION; }

int stretto_finalize(void) {
  if (!Engine::get().is_open()) return MPI_SUCCESS;
  Engine::get().close();
  communicators::finish();
  return MPI_SUCCESS;
}

int stretto_wait(stretto_request* request) {
  wait_until(1, request, [&] { return is_complete(*request); });
  return conclude(request);
}

int stretto_test(stretto_request* request, int* flag) {
  poll(1, request);
  *flag = is_complete(*request) ? 1 : 0;
  return *flag != 0 ? conclude(request) : MPI_SUCCESS;
}

int stretto_waitall(int count, stretto_request requests[]) {
  wait_until(count, requests, [&] { return all_complete(count, requests); });
  return conclude_all(count, requests);
}

int stretto_testall(int count, stretto_request requests[], int* flag) {
  poll(count, requests);
  *flag = all_complete(count, requests) ? 1 : 0;
  return *flag != 0 ? conclude_all(count, requests) : MPI_SUCCESS;
}

int stretto_waitany(int count, stretto_request requests[], int* index) {
  wait_until(count, requests,
             [&] { return (*index = find_complete(count, requests)) != kNoneYet; });
  return *index == MPI_UNDEFINED ? MPI_SUCCESS : conclude(&requests[*index]);
}

int stretto_testany(int count, stretto_request requests[], int* index, int* flag) {
  poll(count, requests);
  *index = find_complete(count, requests);
  *flag = *index == kNoneYet ? 0 : 1;
  if (*index < 0) {
    *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return conclude(&requests[*index]);
}

int stretto_waitsome(int count, stretto_request requests[], int* outcount, int indices[]) {
  wait_until(count, requests, [&] { return find_complete(count, requests) != kNoneYet; });
  return conclude_some(count, requests, outcount, indices);
}

int stretto_testsome(int count, stretto_request requests[], int* outcount, int indices[]) {
  poll(count, requests);
  return conclude_some(count, requests, outcount, indices);
}

int stretto_start(stretto_request* request) {
  const stretto_request started = *request;
  if (started == STRETTO_REQUEST_NULL || !started->starts || started->active) {
    return MPI_ERR_REQUEST;
  }
  if (started->persistent != nullptr) {
    started->operation = started->persistent->start({});
  } else if (const int error = native().Start(&started->native); error != MPI_SUCCESS) {
    return error;
  }
  started->active = true;
  return MPI_SUCCESS;
}

int stretto_startall(int count, stretto_request requests[]) {
  for (int i = 0; i < count; ++i) {
    if (const int error = stretto_start(&requests[i]); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int stretto_request_free(stretto_request* request) {
  const stretto_request freed = *request;
  if (freed == STRETTO_REQUEST_NULL) return MPI_ERR_REQUEST;
  *request = STRETTO_REQUEST_NULL;
  int error = MPI_SUCCESS;
  if (freed->operation != nullptr) {
    Engine::release(freed->operation);
  } else if (freed->persistent == nullptr && freed->native != native().request_null) {
    error = native().Request_free(&freed->native);
  }
  delete freed;
  return error;
}

}  // extern "C"
