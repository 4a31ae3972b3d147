// Messages from rank to rank.
#pragma once

#include "fake_mpi/entered.hpp"

namespace fake_mpi {

// Of a send or a receive, or of a persistent one.
struct Data {
  void* buffer = nullptr;
  MPI_Count count = 0;
  TypePointer type{};
};

// `peer` may be MPI_PROC_NULL. Synchronous: complete when it is received, however short. `lost`: it
// arrives as this error.
[[nodiscard]] RequestPointer make_send(Entered& at, Data data, int peer, int tag, bool synchronous,
                                       bool persistent, int lost = MPI_SUCCESS);
[[nodiscard]] RequestPointer make_receive(Entered& at, Data data, int source, int tag,
                                          bool persistent);

void complete(State& job, Request& request, int error);
// Waits until it is complete; what became of it.
int wait_for(Entered& at, const RequestPointer& request, MPI_Status* status);
void set(MPI_Status* status, const Request& request);

// A message arrives at `to`, where a receive may wait for it.
void arrive(State& job, const std::shared_ptr<Message>& message);
// A receive begins to wait for one that may have arrived.
void post(Rank& rank, const RequestPointer& receive);
// What a probe finds: nullptr, or a message that is not held, and taken where `takes`.
[[nodiscard]] std::shared_ptr<Message> probe(Entered& at, int source, int tag, bool takes);
void receive(State& job, const std::shared_ptr<Message>& message, const RequestPointer& by);
void describe(const Message& message, MPI_Status* status);

}  // namespace fake_mpi
