// Operations for tests of the engine, without the API: ints, on a communicator that is attached.
#pragma once

#include <memory>
#include <string_view>

#include "engine/engine.hpp"

namespace stretto {

[[nodiscard]] inline Communicator& attached(MPI_Comm comm) { return *communicators::find(comm); }

[[nodiscard]] inline Task task_of(Communicator& comm, Collective collective,
                                  std::string_view algorithm, Shape shape, Binding binding) {
  shape.collective = collective;
  shape.size = comm.size;
  const Algorithm& made_by = *find_algorithm(collective, algorithm);
  Task task;
  task.plan = std::make_shared<const Plan>(made_by, made_by.build(shape, Layout(), comm.rank));
  task.comm = &comm;
  task.binding = std::move(binding);
  return task;
}

[[nodiscard]] inline Task barrier(Communicator& comm) {
  Binding binding;
  binding.send.element = binding.recv.element = Element::bytes_of(1);
  return task_of(comm, Collective::barrier, "dissemination", {}, std::move(binding));
}

[[nodiscard]] inline Task allreduce(Communicator& comm, const int* from, int* to, Count count,
                                    MPI_Op op = MPI_SUM, MPI_Datatype type = MPI_INT) {
  Binding binding;
  binding.send = {const_cast<int*>(from), Element::of(type)};
  binding.recv = {to, Element::of(type)};
  binding.scratch = Element::of(type);
  binding.op = op;
  binding.calls_program = !is_predefined(op);
  return task_of(comm, Collective::allreduce, "recursive_doubling", {.count = count},
                 std::move(binding));
}

[[nodiscard]] inline Task bcast(Communicator& comm, int* data, Count count, Rank root,
                                MPI_Datatype type = MPI_INT) {
  Binding binding;
  binding.recv = {data, Element::of(type)};
  binding.scratch = Element::of(type);
  return task_of(comm, Collective::bcast, "binomial", {.count = count, .root = root},
                 std::move(binding));
}

// Runs it to its end. Returns its error.
inline int run_blocking(Task task) {
  Operation* const operation = Engine::get().start(std::move(task), false, {});
  Engine::get().wait(*operation);
  const int error = operation->error();
  Engine::release(operation);
  return error;
}

}  // namespace stretto
