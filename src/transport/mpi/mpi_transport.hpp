// Moves data by the point-to-point calls of the MPI underneath. Reaches all ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/native.hpp"
#include "transport/transport.hpp"

namespace stretto {

// Of a group it needs no more than the MPI's own handle.
class MpiTransport final : public Transport {
 public:
  MpiTransport();
  [[nodiscard]] Joined join(const Group& group) override;
  void leave(Opaque /*group*/) override {}
  int post_send(const Piece& data, const Endpoint& to, Token token) override;
  int post_recv(const Piece& data, const Endpoint& from, Token token) override;
  [[nodiscard]] bool idle() const override { return requests_.empty(); }
  const std::vector<Completed>& poll() override;
  [[nodiscard]] std::vector<Token> in_flight() const override;
  void cancel_receives(const void* owner) override;

 private:
  struct InFlight {
    Token token;
    bool is_receive = false;
  };

  // MPI_Isend_c and MPI_Irecv_c; nullptr where the MPI has none.
  template <class Buffer>
  using Large = int (*)(Buffer, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

  template <class Buffer, class Plain>
  static int begin(Plain plain, Large<Buffer> large, const Piece& data, const Endpoint& end,
                   MPI_Request* request);
  int test_some(int* count);  // into indices_ and statuses_
  int remember(int error, MPI_Request request, Token token, bool is_receive);

  const Large<const void*> isend_c_;
  const Large<void*> irecv_c_;
  std::vector<MPI_Request> requests_;  // parallel to in_flight_
  std::size_t next_ = 0;  // which of them was tested last, where they are tested in turn
  std::vector<InFlight> in_flight_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Completed> completed_;
};

}  // namespace stretto
