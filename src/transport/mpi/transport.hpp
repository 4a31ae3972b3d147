// Moves bytes by the point-to-point calls of the MPI underneath.
//
// Messages in flight are known by a Token of the owner's; `poll` hands the tokens
// of completed ones back. Nothing here blocks or spins, and nothing locks: the
// owner (the engine) serialises the calls.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "transport/mpi/native.hpp"

namespace stretto {

class MpiTransport {
 public:
  struct Token {
    void* owner = nullptr;
    std::int32_t step = 0;
  };
  // One end of a message; `peer` and `tag` are those of `comm`, a communicator that
  // carries nothing but Stretto's messages.
  struct Endpoint {
    MPI_Comm comm{};
    int peer = 0;
    int tag = 0;
  };
  struct Completion {
    Token token;
    int error = MPI_SUCCESS;
  };

  // Both return an MPI error code; on an error nothing is in flight for `token`.
  // `count` above INT_MAX needs an MPI with large counts (MPI 4.0), elsewhere MPI_ERR_COUNT.
  int post_send(const void* buffer, std::int64_t count, MPI_Datatype type, const Endpoint& to,
                Token token);
  int post_recv(void* buffer, std::int64_t count, MPI_Datatype type, const Endpoint& from,
                Token token);

  [[nodiscard]] bool idle() const { return requests_.empty(); }
  // How many messages were posted so far.
  [[nodiscard]] std::uint64_t posted() const { return posted_; }
  // The tokens of the messages in flight.
  [[nodiscard]] std::vector<Token> in_flight() const;

  // Lets the MPI progress once and returns what completed meanwhile; valid until
  // the next call.
  const std::vector<Completion>& poll();

  // Gives up the receives posted for `owner` (its sends run out by themselves).
  void cancel_receives(const void* owner);

 private:
  struct InFlight {
    Token token;
    bool is_receive = false;
  };

  int test_some(int* count);  // into indices_ and statuses_
  int remember(int error, MPI_Request request, Token token, bool is_receive);

  std::uint64_t posted_ = 0;
  std::vector<MPI_Request> requests_;  // parallel to in_flight_
  std::size_t next_ = 0;  // which of them was looked at last, where they are looked at in turn
  std::vector<InFlight> in_flight_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completion> completed_;
};

}  // namespace stretto
