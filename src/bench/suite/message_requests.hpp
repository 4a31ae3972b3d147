// A message each way between two ranks, by requests: nonblocking ones, or persistent ones.
#pragma once

#include <mpi.h>

#include <array>

#include "bench/suite/buffers.hpp"
#include "bench/suite/plan.hpp"

namespace stretto::bench {

constexpr int kMessageTag = 3;

struct MessagePartner {
  int rank = 0;
  bool is_there = false;     // The last of an odd number of ranks has none.
  bool comes_first = false;  // Is its message to be here before this rank sends its own?
};

struct MessageKind {
  CallForm form = CallForm::nonblocking;
  int count = 0;
  MPI_Datatype type{};
  MPI_Comm comm{};
};

class MessageRequests {
 public:
  MessageRequests(const MessageKind& kind, const MessagePartner& partner);
  ~MessageRequests();
  MessageRequests(const MessageRequests&) = delete;
  MessageRequests& operator=(const MessageRequests&) = delete;

  // Before a repetition, which is not timed. Persistent requests are for these buffers only.
  void prepare(const BufferPair& buffers);

  void start();
  void test();
  void wait();

 private:
  [[nodiscard]] bool is_persistent() const { return kind_.form == CallForm::persistent; }
  void receive();
  void send();
  void free_requests();

  static constexpr int kRequests = 2;
  using Receive = int (*)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

  MessageKind kind_;
  MessagePartner partner_;
  Receive receive_;
  Send send_;
  int (*start_)(MPI_Request*);
  int (*start_all_)(int, MPI_Request*);
  int (*wait_)(MPI_Request*, MPI_Status*);
  int (*test_all_)(int, MPI_Request*, int*, MPI_Status*);
  int (*wait_all_)(int, MPI_Request*, MPI_Status*);
  BufferPair buffers_{};
  std::array<MPI_Request, kRequests> requests_;  // of what is received, and of what is sent
};

}  // namespace stretto::bench
