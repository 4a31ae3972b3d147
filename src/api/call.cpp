#include "api/call.hpp"

#include "api/amount.hpp"
#include "api/arguments.hpp"
#include "api/bind.hpp"
#include "api/device_buffers.hpp"
#include "api/ready.hpp"
#include "api/scope.hpp"
#include "api/shared_blocks.hpp"
#include "selection/fastest.hpp"

namespace stretto {
namespace {

bool runs_in_place(const Call& call, const Communicator& comm) {
  // MPI_Reduce_scatter in place works on a copy.
  const bool copies = call.uneven && call.collective == Collective::reduce_scatter;
  return has_in_place(call.collective) && is_in_place(call) && !copies && !comm.is_inter();
}

// What was chosen for a call of about this size.
Choice fitted(Choice choice, const Query& query) {
  if (choice.segment_bytes > 0) {
    choice.segment_bytes = segment_for(choice.segment_bytes, query.bytes, query.element_bytes);
  }
  return choice;
}

Decision refused(Communicator* comm, Reason reason, int error = MPI_SUCCESS) {
  return {.comm = comm, .choice = {.reason = reason}, .error = error, .scope = {}, .shape = {}};
}

}  // namespace

Decision decide(const Call& call, const Choice* learned) {
  Communicator* const comm = communicators::find(call.comm);
  if (comm == nullptr) return refused(comm, Reason::not_attached, MPI_ERR_COMM);
  if (const int error = check(call, *comm); error != MPI_SUCCESS) {
    return refused(comm, Reason::invalid_arguments, error);
  }
  Decision decision;
  decision.comm = comm;
  const Scope& scope = decision.scope = scope_of(call, *comm);
  const Amount amount = scope.idle ? Amount{} : amount_of(call, *comm);
  // Bystanders would not know.
  const bool must_run = comm->is_inter() && is_rooted(call.collective);
  if (amount.too_large && !must_run) return refused(comm, Reason::too_large, MPI_ERR_COUNT);
  const Query query = query_of(call, *comm, scope, amount);
  // A call of the same kind may be too long for what was learned from a shorter one.
  const bool may_run_learned = learned != nullptr && may_run(*learned->algorithm, query);
  decision.choice =
      may_run_learned ? fitted(*learned, query) : choose(query, comm->around, overrides());
  if (!decision.is_native() && device_buffers::has_any(call, *comm)) {
    decision.choice = {.reason = Reason::device_buffers};
  }
  if (decision.choice.reason == Reason::device_buffers) device_buffers::report();
  Shape& shape = decision.shape;
  shape.collective = scope.collective;
  shape.size = scope.size;
  shape.root = scope.root;
  shape.first_group = scope.first_group;
  shape.in_place = runs_in_place(call, *comm);
  shape.commutative = query.commutative;
  shape.radix = decision.choice.radix;
  shape.count = amount.elements;
  if (is_neighborhood(call.collective)) shape.graph = comm->graph;
  if (const Count segment = decision.choice.segment_bytes; segment > 0) {
    shape.segment = (segment + amount.element_bytes - 1) / amount.element_bytes;
  }
  return decision;
}

Task task_for(const Call& call, const Decision& decision) {
  const Algorithm& algorithm = *decision.choice.algorithm;
  const Scope& scope = decision.scope;
  if (scope.idle) {
    return {.plan = std::make_shared<const Plan>(algorithm, Schedule{}),
            .comm = decision.comm,
            .binding = {}};
  }
  auto layout =
      algorithm.uses_layout ? communicators::layout_of(*decision.comm, scope.ranks) : nullptr;
  return {.plan = Engine::get().plans().get(algorithm, decision.shape, scope.me, std::move(layout)),
          .comm = decision.comm,
          .ranks = scope.ranks,
          .binding = bind(call, *decision.comm, scope, decision.shape)};
}

Operation* begin(const Call& call, const Decision& decision, MPI_Request* handle) {
  auto* const operation = new Operation(task_for(call, decision));
  keep_ready(call, *decision.comm, *operation);
  Engine::get().begin(operation, call.form != Form::blocking, {.handle = handle});
  return operation;
}

int run(const Call& call, const Decision& decision) {
  if (shared_blocks::runs(call, decision)) return shared_blocks::run(call, decision);
  Operation* const operation = begin(call, decision);
  Engine::get().wait(*operation);
  const int error = operation->error();
  Engine::release(operation);
  return error;
}

int report(MPI_Comm comm, int error) {
  if (error != MPI_SUCCESS) native().Comm_call_errhandler(comm, error);
  return error;
}

}  // namespace stretto
