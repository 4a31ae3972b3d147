// The functions that send, receive and probe.

#include <algorithm>

#include "fake_mpi/messages.hpp"

namespace fake_mpi {
namespace {

Data data_of(Entered& at, const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count < 0) at.misused("a negative count");
  return {const_cast<void*>(buffer), count, at.type(type)};
}

int send(Entered& at, const Data& data, int dest, int tag, bool synchronous) {
  if (!at.has_comm()) return at.refused();
  const int lost = at.planned();
  const RequestPointer request = make_send(at, data, dest, tag, synchronous, false, lost);
  if (lost != MPI_SUCCESS) return at.raise(lost);
  return at.result(wait_for(at, request, MPI_STATUS_IGNORE));
}

int begin_send(Entered& at, const Data& data, int dest, int tag, bool synchronous,
               MPI_Request* made) {
  if (!at.has_comm()) return at.refused();
  const int lost = at.planned();
  const RequestPointer request = make_send(at, data, dest, tag, synchronous, false, lost);
  if (lost != MPI_SUCCESS) return at.raise(lost);
  *made = at.rank.requests.add(request);
  return MPI_SUCCESS;
}

int prepare_send(Entered& at, const Data& data, int dest, int tag, MPI_Request* made) {
  if (at.fails()) return at.refused();
  *made = at.rank.requests.add(make_send(at, data, dest, tag, false, true));
  return MPI_SUCCESS;
}

// A receive that fails when it is posted: the message that is sent is lost, too.
void drop(Entered& at, int source, int tag) {
  const auto nowhere = make_receive(at, {nullptr, 0, at.type(MPI_BYTE)}, source, tag, false);
  static_cast<void>(nowhere);
}

int begin_receive(Entered& at, const Data& data, int source, int tag, MPI_Request* made) {
  if (!at.has_comm()) return at.refused();
  if (at.planned() != MPI_SUCCESS) {
    drop(at, source, tag);
    return at.refused();
  }
  *made = at.rank.requests.add(make_receive(at, data, source, tag, false));
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace fake_mpi

using namespace fake_mpi;

FAKE_MPI(Send, (const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  Entered at(__func__, comm);
  return send(at, data_of(at, buf, count, type), dest, tag, false);
}
FAKE_MPI(Ssend, (const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {
  Entered at(__func__, comm);
  return send(at, data_of(at, buf, count, type), dest, tag, true);
}
FAKE_MPI(Isend, (const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request)) {
  Entered at(__func__, comm);
  return begin_send(at, data_of(at, buf, count, type), dest, tag, false, request);
}
FAKE_MPI(Isend_c, (const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                   MPI_Comm comm, MPI_Request* request)) {
  Entered at(__func__, comm);
  return begin_send(at, data_of(at, buf, count, type), dest, tag, false, request);
}
FAKE_MPI(Issend, (const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request)) {
  Entered at(__func__, comm);
  return begin_send(at, data_of(at, buf, count, type), dest, tag, true, request);
}
FAKE_MPI(Irsend, (const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request)) {
  Entered at(__func__, comm);
  return begin_send(at, data_of(at, buf, count, type), dest, tag, false, request);
}
FAKE_MPI(Send_init, (const void* buf, int count, MPI_Datatype type, int dest, int tag,
                     MPI_Comm comm, MPI_Request* request)) {
  Entered at(__func__, comm);
  return prepare_send(at, data_of(at, buf, count, type), dest, tag, request);
}

FAKE_MPI(Recv, (void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                MPI_Status* status)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  const RequestPointer request =
      make_receive(at, data_of(at, buf, count, type), source, tag, false);
  return at.result(wait_for(at, request, status));
}
FAKE_MPI(Irecv, (void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request* request)) {
  Entered at(__func__, comm);
  return begin_receive(at, data_of(at, buf, count, type), source, tag, request);
}
FAKE_MPI(Irecv_c, (void* buf, MPI_Count count, MPI_Datatype type, int source, int tag,
                   MPI_Comm comm, MPI_Request* request)) {
  Entered at(__func__, comm);
  return begin_receive(at, data_of(at, buf, count, type), source, tag, request);
}
FAKE_MPI(Recv_init, (void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request* request)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  *request =
      at.rank.requests.add(make_receive(at, data_of(at, buf, count, type), source, tag, true));
  return MPI_SUCCESS;
}
FAKE_MPI(Sendrecv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source,
                    int recvtag, MPI_Comm comm, MPI_Status* status)) {
  Entered at(__func__, comm);
  if (!at.has_comm()) return at.refused();
  const Data data = data_of(at, sendbuf, sendcount, sendtype);
  if (const int lost = at.planned(); lost != MPI_SUCCESS) {
    drop(at, source, recvtag);
    static_cast<void>(make_send(at, data, dest, sendtag, false, false, lost));
    return at.refused();
  }
  const RequestPointer received =
      make_receive(at, data_of(at, recvbuf, recvcount, recvtype), source, recvtag, false);
  const RequestPointer sent = make_send(at, data, dest, sendtag, false, false);
  wait_for(at, sent, MPI_STATUS_IGNORE);
  return at.result(wait_for(at, received, status));
}

FAKE_MPI(Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  const auto found = probe(at, source, tag, false);
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) describe(*found, status);
  return MPI_SUCCESS;
}
FAKE_MPI(Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  std::shared_ptr<Message> found;
  at.wait([&] { return (found = probe(at, source, tag, false)) != nullptr; });
  describe(*found, status);
  return MPI_SUCCESS;
}
FAKE_MPI(Improbe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                   MPI_Status* status)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  const auto found = probe(at, source, tag, true);
  *flag = found != nullptr ? 1 : 0;
  if (found == nullptr) return MPI_SUCCESS;
  describe(*found, status);
  *message = at.rank.messages.add(found);
  return MPI_SUCCESS;
}
FAKE_MPI(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  std::shared_ptr<Message> found;
  at.wait([&] { return (found = probe(at, source, tag, true)) != nullptr; });
  describe(*found, status);
  *message = at.rank.messages.add(found);
  return MPI_SUCCESS;
}

namespace fake_mpi {
namespace {

RequestPointer receive_matched(Entered& at, const Data& data, MPI_Message* message) {
  const std::shared_ptr<Message> found = at.rank.messages.find(*message);
  if (found == nullptr) at.misused("no message");
  at.rank.messages.remove(*message);
  *message = MPI_MESSAGE_NULL;
  const auto request = std::make_shared<Request>();
  request->kind = Request::Kind::receive;
  request->buffer = data.buffer;
  request->count = data.count;
  request->type = data.type;
  if (found != nullptr) receive(at.job, found, request);
  return request;
}

}  // namespace
}  // namespace fake_mpi

FAKE_MPI(Mrecv,
         (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const auto request = receive_matched(at, data_of(at, buf, count, type), message);
  return at.result(wait_for(at, request, status));
}
FAKE_MPI(Imrecv,
         (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *request = at.rank.requests.add(receive_matched(at, data_of(at, buf, count, type), message));
  return MPI_SUCCESS;
}

FAKE_MPI(Cancel, (MPI_Request * request)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const RequestPointer cancelled = at.rank.requests.find(*request);
  if (cancelled == nullptr) at.misused("no request");
  const auto found = std::ranges::find(at.rank.posted, cancelled);
  if (found == at.rank.posted.end()) return MPI_SUCCESS;
  at.rank.posted.erase(found);
  cancelled->cancelled = true;
  complete(at.job, *cancelled, MPI_SUCCESS);
  return MPI_SUCCESS;
}
