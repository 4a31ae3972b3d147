// Waiting, testing, starting and freeing.

#include <algorithm>

#include "fake_mpi/messages.hpp"

namespace fake_mpi {
namespace {

// Of one that is null or not active there is nothing to wait for.
bool is_over(const RequestPointer& request) {
  return request == nullptr || !request->active || request->complete;
}
bool counts(const RequestPointer& request) { return request != nullptr && request->active; }

RequestPointer find(Entered& at, MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  RequestPointer found = at.rank.requests.find(handle);
  if (found == nullptr || found->freed) at.misused("no request");
  return found;
}

void set_empty(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  status->count_lo = status->count_hi_and_cancelled = 0;
}

// Of a complete request: sets its status and its handle; what became of it.
int conclude(Entered& at, MPI_Request* handle, MPI_Status* status) {
  const RequestPointer request = find(at, *handle);
  if (!counts(request)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  int error = request->error;
  if (request->kind == Request::Kind::generalized) {
    MPI_Status said{};
    error = at.unlocked([&] { return request->query(request->state, &said); });
    request->status = said;
  }
  set(status, *request);
  if (status != MPI_STATUS_IGNORE && request->cancelled) status->count_hi_and_cancelled = 1;
  if (request->persistent) {
    request->active = request->complete = false;
    return error;
  }
  at.rank.requests.remove(*handle);
  *handle = MPI_REQUEST_NULL;
  if (request->kind == Request::Kind::generalized) {
    at.unlocked([&] { return request->gone(request->state); });
  }
  return error;
}

// A message that fails is MPI_COMM_SELF's affair where several requests were given; MPI_Wait and
// MPI_Test tell the communicator's handler.
int conclude_one(Entered& at, MPI_Request* handle, MPI_Status* status) {
  const RequestPointer request = find(at, *handle);
  const int error = conclude(at, handle, status);
  return error == MPI_SUCCESS ? error : at.raise_on(request->comm, error);
}

// Of a request that cannot be asked about its memory is the program's again.
void give_up(Entered& at, const RequestPointer& request) {
  std::erase(at.rank.posted, request);
  for (const auto& rank : at.job.ranks) {
    for (const std::shared_ptr<Message>& message : rank->arrived) {
      if (message->sender != request) continue;
      message->packed = pack(message->buffer, message->count, *message->type);
      message->sender = nullptr;
    }
  }
}

MPI_Status* at_place(MPI_Status* statuses, int place) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + place;
}

std::vector<RequestPointer> all_of(Entered& at, int count, const MPI_Request* handles) {
  std::vector<RequestPointer> all;
  for (int i = 0; i < count; ++i) all.push_back(find(at, handles[i]));
  return all;
}

int conclude_all(Entered& at, int count, MPI_Request* requests, MPI_Status* statuses) {
  std::vector<int> errors;
  for (int i = 0; i < count; ++i) {
    errors.push_back(conclude(at, &requests[i], at_place(statuses, i)));
  }
  if (std::ranges::all_of(errors, [](int error) { return error == MPI_SUCCESS; })) {
    return MPI_SUCCESS;
  }
  for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < count; ++i) {
    statuses[i].MPI_ERROR = errors[static_cast<std::size_t>(i)];
  }
  return at.raise(MPI_ERR_IN_STATUS);
}

int conclude_some(Entered& at, int count, MPI_Request* requests, int* outcount, int* indices,
                  MPI_Status* statuses) {
  const std::vector<RequestPointer> all = all_of(at, count, requests);
  if (std::ranges::none_of(all, counts)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  *outcount = 0;
  std::vector<int> errors;
  for (int i = 0; i < count; ++i) {
    const RequestPointer& each = all[static_cast<std::size_t>(i)];
    if (!counts(each) || !each->complete) continue;
    indices[*outcount] = i;
    errors.push_back(conclude(at, &requests[i], at_place(statuses, (*outcount)++)));
  }
  if (std::ranges::all_of(errors, [](int error) { return error == MPI_SUCCESS; })) {
    return MPI_SUCCESS;
  }
  for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < *outcount; ++i) {
    statuses[i].MPI_ERROR = errors[static_cast<std::size_t>(i)];
  }
  return at.raise(MPI_ERR_IN_STATUS);
}

// The first that is complete; MPI_UNDEFINED where none is active, -1 where none is complete.
int find_any(const std::vector<RequestPointer>& all) {
  if (std::ranges::none_of(all, counts)) return MPI_UNDEFINED;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (counts(all[i]) && all[i]->complete) return static_cast<int>(i);
  }
  return -1;
}

int conclude_any(Entered& at, MPI_Request* requests, int index, MPI_Status* status) {
  if (index != MPI_UNDEFINED) return conclude_one(at, &requests[index], status);
  set_empty(status);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace fake_mpi

using namespace fake_mpi;

FAKE_MPI(Wait, (MPI_Request * request, MPI_Status* status)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const RequestPointer awaited = find(at, *request);
  at.wait([&] { return is_over(awaited); });
  return conclude_one(at, request, status);
}
FAKE_MPI(Test, (MPI_Request * request, int* flag, MPI_Status* status)) {
  Entered at(__func__);
  if (at.fails()) {
    give_up(at, find(at, *request));
    at.rank.requests.remove(*request);
    *request = MPI_REQUEST_NULL;
    return at.refused();
  }
  *flag = is_over(find(at, *request)) ? 1 : 0;
  return *flag != 0 ? conclude_one(at, request, status) : MPI_SUCCESS;
}
FAKE_MPI(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[])) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const auto all = all_of(at, count, requests);
  at.wait([&] { return std::ranges::all_of(all, is_over); });
  return conclude_all(at, count, requests, statuses);
}
FAKE_MPI(Testall, (int count, MPI_Request requests[], int* flag, MPI_Status statuses[])) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *flag = std::ranges::all_of(all_of(at, count, requests), is_over) ? 1 : 0;
  return *flag != 0 ? conclude_all(at, count, requests, statuses) : MPI_SUCCESS;
}
FAKE_MPI(Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const auto all = all_of(at, count, requests);
  at.wait([&] { return (*index = find_any(all)) != -1; });
  return conclude_any(at, requests, *index, status);
}
FAKE_MPI(Testany, (int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *index = find_any(all_of(at, count, requests));
  *flag = *index == -1 ? 0 : 1;
  if (*flag != 0) return conclude_any(at, requests, *index, status);
  *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
FAKE_MPI(Waitsome,
         (int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[])) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const auto all = all_of(at, count, requests);
  at.wait([&] { return find_any(all) != -1; });
  return conclude_some(at, count, requests, outcount, indices, statuses);
}
FAKE_MPI(Testsome,
         (int count, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[])) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  return conclude_some(at, count, requests, outcount, indices, statuses);
}

FAKE_MPI(Request_get_status, (MPI_Request request, int* flag, MPI_Status* status)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const RequestPointer asked = find(at, request);
  *flag = is_over(asked) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  if (!counts(asked)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  if (asked->kind == Request::Kind::generalized) {
    MPI_Status said{};
    at.unlocked([&] { return asked->query(asked->state, &said); });
    asked->status = said;
  }
  set(status, *asked);
  return MPI_SUCCESS;
}
// Each is asked about by itself.
FAKE_MPI(Request_get_status_any,
         (int count, const MPI_Request requests[], int* index, int* flag, MPI_Status* status)) {
  *flag = 0;
  for (*index = 0; *index < count; ++*index) {
    const int error = fake_Request_get_status(requests[*index], flag, status);
    if (error != MPI_SUCCESS || *flag != 0) return error;
  }
  *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
FAKE_MPI(Request_get_status_all,
         (int count, const MPI_Request requests[], int* flag, MPI_Status statuses[])) {
  *flag = 1;
  for (int i = 0; i < count && *flag != 0; ++i) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
    const int error = fake_Request_get_status(requests[i], flag, status);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}
FAKE_MPI(Request_get_status_some, (int count, const MPI_Request requests[], int* outcount,
                                   int indices[], MPI_Status statuses[])) {
  *outcount = 0;
  for (int i = 0; i < count; ++i) {
    MPI_Status* const status =
        statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*outcount];
    int flag = 0;
    const int error = fake_Request_get_status(requests[i], &flag, status);
    if (error != MPI_SUCCESS) return error;
    if (flag != 0) indices[(*outcount)++] = i;
  }
  return MPI_SUCCESS;
}
FAKE_MPI(Request_free, (MPI_Request * request)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const MPI_Request handle = std::exchange(*request, MPI_REQUEST_NULL);
  const RequestPointer freed = find(at, handle);
  // It lives until it is complete, and so does its handle.
  const bool generalized = freed != nullptr && freed->kind == Request::Kind::generalized;
  if (generalized && !freed->complete) {
    freed->freed = true;
    return MPI_SUCCESS;
  }
  at.rank.requests.remove(handle);
  if (generalized) at.unlocked([&] { return freed->gone(freed->state); });
  return MPI_SUCCESS;
}

namespace fake_mpi {
namespace {

void start(Entered& at, MPI_Request handle) {
  const RequestPointer started = find(at, handle);
  if (started == nullptr || !started->persistent || started->active) {
    at.misused("no inactive persistent request");
    return;
  }
  started->active = true;
  started->complete = started->cancelled = false;
  started->begin(at, started);
}

}  // namespace
}  // namespace fake_mpi

FAKE_MPI(Start, (MPI_Request * request)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  start(at, *request);
  return MPI_SUCCESS;
}
FAKE_MPI(Startall, (int count, MPI_Request requests[])) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  for (int i = 0; i < count; ++i) start(at, requests[i]);
  return MPI_SUCCESS;
}

FAKE_MPI(Grequest_start,
         (MPI_Grequest_query_function * query, MPI_Grequest_free_function* gone,
          MPI_Grequest_cancel_function* /*cancel*/, void* state, MPI_Request* request)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const auto made = std::make_shared<Request>();
  made->kind = Request::Kind::generalized;
  made->query = query;
  made->gone = gone;
  made->state = state;
  *request = at.rank.requests.add(made);
  return MPI_SUCCESS;
}
FAKE_MPI(Grequest_complete, (MPI_Request request)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const RequestPointer done = at.rank.requests.find(request);
  if (done == nullptr || done->kind != Request::Kind::generalized || done->complete) {
    at.misused("no generalized request under way");
    return MPI_ERR_REQUEST;
  }
  complete(at.job, *done, MPI_SUCCESS);
  if (!done->freed) return MPI_SUCCESS;
  at.rank.requests.remove(request);
  at.unlocked([&] { return done->gone(done->state); });
  return MPI_SUCCESS;
}

FAKE_MPI(Test_cancelled, (const MPI_Status* status, int* flag)) {
  const Entered at(__func__);
  *flag = status->count_hi_and_cancelled;
  return MPI_SUCCESS;
}
FAKE_MPI(Status_set_cancelled, (MPI_Status * status, int flag)) {
  const Entered at(__func__);
  status->count_hi_and_cancelled = flag;
  return MPI_SUCCESS;
}
FAKE_MPI(Status_set_elements, (MPI_Status * status, MPI_Datatype type, int count)) {
  Entered at(__func__);
  status->count_lo = count * static_cast<int>(at.type(type)->size);
  return MPI_SUCCESS;
}
FAKE_MPI(Get_count, (const MPI_Status* status, MPI_Datatype type, int* count)) {
  Entered at(__func__);
  const auto size = static_cast<int>(at.type(type)->size);
  *count = size == 0 ? 0 : status->count_lo / size;
  return MPI_SUCCESS;
}
