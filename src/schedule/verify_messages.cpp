#include "schedule/verify_messages.hpp"

namespace stretto {

std::optional<Fault> check_messages(const Proof& proof, const StepGraph& graph) {
  for (GlobalStep i = 0; i < graph.total(); ++i) {
    const Rank rank = graph.rank_of(i);
    const StepId id = graph.local(i);
    const Step& step = graph.step(i);
    if (step.kind != StepKind::send && step.kind != StepKind::recv) continue;
    const bool sends = step.kind == StepKind::send;
    if (graph.mate(i) == kNoMate) {
      return proof.fault(
          rank, id,
          words("rank ", step.peer, sends ? " never receives this message" : " never sends it",
                " (number ", step.ordinal, " from rank ", sends ? rank : step.peer, " to rank ",
                sends ? step.peer : rank, ", counting from 0)"));
    }
    if (!sends) continue;
    const StepId mate = graph.local(graph.mate(i));
    const Step& recv = graph.step(graph.mate(i));
    if (recv.to.span.count != step.from.span.count) {
      return proof.fault(
          rank, id,
          words("sends ", step.from.span.count, " elements, but rank ", step.peer, ", ",
                describe(proof.of(step.peer), mate), ", expects ", recv.to.span.count));
    }
  }
  return {};
}

}  // namespace stretto
