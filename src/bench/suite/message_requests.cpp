#include "bench/suite/message_requests.hpp"

#include "bench/suite/reached.hpp"
#include "mpi/native.hpp"

namespace stretto::bench {

MessageRequests::MessageRequests(const MessageKind& kind, const MessagePartner& partner)
    : kind_(kind),
      partner_(partner),
      receive_(reached_as<Receive>(name_in_form("Recv", kind.form))),
      send_(reached_as<Send>(name_in_form("Send", kind.form))),
      start_(reached_as<int (*)(MPI_Request*)>("Start")),
      start_all_(reached_as<int (*)(int, MPI_Request*)>("Startall")),
      wait_(reached_as<int (*)(MPI_Request*, MPI_Status*)>("Wait")),
      test_all_(reached_as<int (*)(int, MPI_Request*, int*, MPI_Status*)>("Testall")),
      wait_all_(reached_as<int (*)(int, MPI_Request*, MPI_Status*)>("Waitall")),
      requests_{native().request_null, native().request_null} {}

MessageRequests::~MessageRequests() { free_requests(); }

void MessageRequests::prepare(const BufferPair& buffers) {
  const bool is_same = buffers.send == buffers_.send && buffers.receive == buffers_.receive;
  buffers_ = buffers;
  if (!partner_.is_there || !is_persistent() || is_same) return;
  free_requests();
  receive();
  send();
}

void MessageRequests::start() {
  if (!partner_.is_there) return;
  if (is_persistent()) {
    start_all_(partner_.comes_first ? 1 : kRequests, requests_.data());
    return;
  }
  receive();
  if (!partner_.comes_first) send();
}

void MessageRequests::test() {
  int flag = 0;
  test_all_(kRequests, requests_.data(), &flag, MPI_STATUSES_IGNORE);
}

void MessageRequests::wait() {
  if (partner_.is_there && partner_.comes_first) {
    wait_(&requests_[0], MPI_STATUS_IGNORE);
    if (is_persistent()) {
      start_(&requests_[1]);
    } else {
      send();
    }
  }
  wait_all_(kRequests, requests_.data(), MPI_STATUSES_IGNORE);
}

// This and send() begin the message, or make the request that does.
void MessageRequests::receive() {
  receive_(buffers_.receive, kind_.count, kind_.type, partner_.rank, kMessageTag, kind_.comm,
           &requests_[0]);
}

void MessageRequests::send() {
  send_(buffers_.send, kind_.count, kind_.type, partner_.rank, kMessageTag, kind_.comm,
        &requests_[1]);
}

void MessageRequests::free_requests() {
  for (MPI_Request& each : requests_) {
    if (each == native().request_null) continue;
    reached_as<int (*)(MPI_Request*)>("Request_free")(&each);
  }
}

}  // namespace stretto::bench
