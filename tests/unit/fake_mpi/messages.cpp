#include "fake_mpi/messages.hpp"

#include <algorithm>

namespace fake_mpi {
namespace {

MPI_Status empty_status() {
  MPI_Status status{};
  status.MPI_SOURCE = MPI_ANY_SOURCE;
  status.MPI_TAG = MPI_ANY_TAG;
  return status;
}

bool fits(const Message& message, const Context* context, int side, int source, int tag) {
  return message.context.get() == context && message.side == side &&
         (source == MPI_ANY_SOURCE || source == message.source) &&
         (tag == MPI_ANY_TAG || tag == message.envelope.tag);
}

bool fits(const Message& message, const Request& receive) {
  return fits(message, receive.context.get(), receive.from_side, receive.source, receive.tag);
}

// The data go over when the message is received and not before: who changes them too early sees
// what comes of it.
void transfer(State& job, const Message& message, Request& by) {
  const Packed packed = message.sender != nullptr && message.error == MPI_SUCCESS
                            ? pack(message.buffer, message.count, *message.type)
                            : message.packed;
  int error = message.error;
  if (error == MPI_SUCCESS) error = unpack(packed, by.buffer, by.count, *by.type);
  describe(message, &by.status);
  if (message.sender != nullptr) complete(job, *message.sender, MPI_SUCCESS);
  complete(job, by, error);
}

}  // namespace

void describe(const Message& message, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  *status = empty_status();
  status->MPI_SOURCE = message.source;
  status->MPI_TAG = message.envelope.tag;
  status->count_lo = static_cast<int>(message.length);
}

void complete(State& job, Request& request, int error) {
  request.complete = true;
  request.error = error;
  job.changed.notify_all();
}

void set(MPI_Status* status, const Request& request) {
  if (status == MPI_STATUS_IGNORE) return;
  const int error = status->MPI_ERROR;  // is not the call's to change
  *status = request.status;
  status->MPI_ERROR = error;
}

int wait_for(Entered& at, const RequestPointer& request, MPI_Status* status) {
  at.wait([&] { return request->complete; });
  set(status, *request);
  return request->error;
}

void receive(State& job, const std::shared_ptr<Message>& message, const RequestPointer& by) {
  const auto deliver = [&job, message, by] { transfer(job, *message, *by); };
  if (job.holds && job.holds(message->envelope)) {
    job.held.emplace_back(deliver);
  } else {
    deliver();
  }
}

void arrive(State& job, const std::shared_ptr<Message>& message) {
  Rank& to = *job.ranks[static_cast<std::size_t>(message->envelope.to)];
  const auto found = std::ranges::find_if(
      to.posted, [&](const RequestPointer& each) { return fits(*message, *each); });
  if (found == to.posted.end()) {
    to.arrived.push_back(message);
    job.changed.notify_all();
    return;
  }
  const RequestPointer by = *found;
  to.posted.erase(found);
  receive(job, message, by);
}

void post(Rank& rank, const RequestPointer& receive_request) {
  const auto found = std::ranges::find_if(rank.arrived, [&](const std::shared_ptr<Message>& each) {
    return fits(*each, *receive_request);
  });
  if (found == rank.arrived.end()) {
    rank.posted.push_back(receive_request);
    return;
  }
  const std::shared_ptr<Message> message = *found;
  rank.arrived.erase(found);
  receive(rank.job, message, receive_request);
}

std::shared_ptr<Message> probe(Entered& at, int source, int tag, bool takes) {
  const auto found =
      std::ranges::find_if(at.rank.arrived, [&](const std::shared_ptr<Message>& each) {
        return fits(*each, at.comm().context.get(), at.comm().other_side(), source, tag);
      });
  if (found == at.rank.arrived.end()) return nullptr;
  const std::shared_ptr<Message> message = *found;
  if (takes) at.rank.arrived.erase(found);
  return message;
}

RequestPointer make_send(Entered& at, Data data, int peer, int tag, bool synchronous,
                         bool persistent, int lost) {
  const Comm& comm = at.comm();
  const auto request = std::make_shared<Request>();
  request->comm = at.comm_handle();
  request->persistent = persistent;
  request->active = !persistent;
  request->status = empty_status();
  Message message;
  message.context = comm.context;
  message.side = comm.side;
  message.source = comm.rank;
  message.buffer = data.buffer;
  message.count = data.count;
  message.length = data.count * data.type->size;
  message.type = std::move(data.type);
  message.error = lost;
  message.envelope = {.from = at.rank.number, .tag = tag};
  if (tag > at.job.options.highest_tag) at.misused("tag " + std::to_string(tag));
  if (peer != MPI_PROC_NULL) {
    message.envelope.to = comm.others().at(static_cast<std::size_t>(peer));
  }
  request->begin = [message, peer, synchronous](Entered& by, const RequestPointer& self) {
    State& job = by.job;
    if (peer == MPI_PROC_NULL) return complete(job, *self, MPI_SUCCESS);
    const auto sent = std::make_shared<Message>(message);
    if (synchronous || message.length > job.options.eager_bytes) {
      sent->sender = self;
    } else {
      sent->packed = pack(message.buffer, message.count, *message.type);
      complete(job, *self, MPI_SUCCESS);
    }
    arrive(job, sent);
  };
  if (!persistent) request->begin(at, request);
  return request;
}

RequestPointer make_receive(Entered& at, Data data, int source, int tag, bool persistent) {
  const Comm& comm = at.comm();
  const auto request = std::make_shared<Request>();
  request->kind = Request::Kind::receive;
  request->comm = at.comm_handle();
  request->persistent = persistent;
  request->active = !persistent;
  request->status = empty_status();
  request->context = comm.context;
  request->from_side = comm.other_side();
  request->source = source;
  request->tag = tag;
  request->buffer = data.buffer;
  request->count = data.count;
  request->type = std::move(data.type);
  request->begin = [source](Entered& by, const RequestPointer& self) {
    if (source == MPI_PROC_NULL) {
      self->status.MPI_SOURCE = MPI_PROC_NULL;
      return complete(by.job, *self, MPI_SUCCESS);
    }
    post(by.rank, self);
  };
  if (!persistent) request->begin(at, request);
  return request;
}

}  // namespace fake_mpi
