#include "transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <climits>

#include "mpi/large_type.hpp"
#include "mpi/opaque.hpp"

namespace stretto {
// Found before the first message: the loader's lock must not be waited for while messages are
// under way, as who holds it may wait for them.
MpiTransport::MpiTransport()
    : isend_c_(reinterpret_cast<Large<const void*>>(native_symbol("PMPI_Isend_c"))),
      irecv_c_(reinterpret_cast<Large<void*>>(native_symbol("PMPI_Irecv_c"))) {}

// By `plain`, which counts by int, or what counts further.
template <class Buffer, class Plain>
int MpiTransport::begin(Plain plain, Large<Buffer> large, const Piece& data, const Endpoint& end,
                        MPI_Request* request) {
  const MPI_Datatype type = type_of(data.type);
  const MPI_Comm comm = comm_of(end.group);
  if (data.count <= INT_MAX) {
    return plain(data.address, static_cast<int>(data.count), type, end.peer, end.tag, comm,
                 request);
  }
  if (large != nullptr) {
    return large(data.address, data.count, type, end.peer, end.tag, comm, request);
  }
  const LargeType all(data.count, type);
  if (all.error() != MPI_SUCCESS) return all.error();
  return plain(data.address, 1, all.get(), end.peer, end.tag, comm, request);
}

Transport::Joined MpiTransport::join(const Group& group) { return {.group = group.handle}; }

int MpiTransport::post_send(const Piece& data, const Endpoint& to, Token token) {
  MPI_Request request{};
  const int error = begin(native().Isend, isend_c_, data, to, &request);
  return remember(error, request, token, false);
}

int MpiTransport::post_recv(const Piece& data, const Endpoint& from, Token token) {
  MPI_Request request{};
  const int error = begin(native().Irecv, irecv_c_, data, from, &request);
  return remember(error, request, token, true);
}

int MpiTransport::remember(int error, MPI_Request request, Token token, bool is_receive) {
  if (error != MPI_SUCCESS) return error;
  requests_.push_back(request);
  in_flight_.push_back({token, is_receive});
  return MPI_SUCCESS;
}

#if defined(OMPI_MAJOR_VERSION)
int MpiTransport::test_some(int* count) {
  const auto posted = static_cast<int>(requests_.size());
  return native().Testsome(posted, requests_.data(), count, indices_.data(), statuses_.data());
}
#else
// MPICH reports a message that fails to MPI_COMM_SELF's handler, except in MPI_Test. That polls
// each time one has not come, and after a few such tests another finds no more.
int MpiTransport::test_some(int* count) {
  constexpr int kEmpty = 3;  // tests that found nothing, after which to stop
  const std::size_t posted = requests_.size();
  bool failed = false;
  *count = 0;
  int empty = 0;
  for (std::size_t i = 0; i < posted && empty < kEmpty; ++i) {
    next_ = next_ + 1 < posted ? next_ + 1 : 0;
    const auto place = static_cast<std::size_t>(*count);
    int done = 0;
    const int error = native().Test(&requests_[next_], &done, &statuses_[place]);
    if (done == 0 && error == MPI_SUCCESS) {
      ++empty;
      continue;
    }
    statuses_[place].MPI_ERROR = error;
    indices_[place] = static_cast<int>(next_);
    ++*count;
    failed = failed || error != MPI_SUCCESS;
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}
#endif

const std::vector<MpiTransport::Completed>& MpiTransport::poll() {
  completed_.clear();
  if (requests_.empty()) return completed_;
  const std::size_t posted = requests_.size();
  indices_.resize(posted);
  statuses_.resize(posted);

  int count = 0;
  const int error = test_some(&count);
  if (count == MPI_UNDEFINED || count == 0) {
    // Nothing completed, or the MPI itself is broken: then every message fails.
    if (error != MPI_SUCCESS && error != MPI_ERR_IN_STATUS) {
      for (const InFlight& message : in_flight_) completed_.push_back({message.token, error});
      requests_.clear();
      in_flight_.clear();
    }
    return completed_;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto index = static_cast<std::size_t>(indices_[i]);
    // MPI_ERROR of a status is only set where the call says MPI_ERR_IN_STATUS.
    const int failure = error == MPI_ERR_IN_STATUS ? statuses_[i].MPI_ERROR : MPI_SUCCESS;
    completed_.push_back({in_flight_[index].token, failure});
  }
  std::sort(indices_.begin(), indices_.begin() + count);
  for (int i = count - 1; i >= 0; --i) {
    const auto index = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    requests_[index] = requests_.back();
    in_flight_[index] = in_flight_.back();
    requests_.pop_back();
    in_flight_.pop_back();
  }
  return completed_;
}

std::vector<MpiTransport::Token> MpiTransport::in_flight() const {
  std::vector<Token> tokens;
  tokens.reserve(in_flight_.size());
  for (const InFlight& message : in_flight_) tokens.push_back(message.token);
  return tokens;
}

void MpiTransport::cancel_receives(const void* owner) {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (in_flight_[i].token.owner == owner && in_flight_[i].is_receive) {
      native().Cancel(&requests_[i]);
    }
  }
}

}  // namespace stretto
