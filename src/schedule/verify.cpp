#include "schedule/verify.hpp"

#include "schedule/step_graph.hpp"
#include "schedule/verify_messages.hpp"
#include "schedule/verify_run.hpp"
#include "schedule/verify_structure.hpp"
#include "schedule/verify_words.hpp"

namespace stretto {

Shape shape_on_rank(const Shape& shape, Rank me) {
  Shape mine = shape;
  switch (shape.collective) {
    case Collective::barrier:
    case Collective::bcast:
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      mine.in_place = false;
      break;
    case Collective::reduce:
    case Collective::gather:
    case Collective::scatter:
      mine.in_place = shape.in_place && me == shape.root;
      break;
    case Collective::allreduce:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::reduce_scatter:
    case Collective::scan:
    case Collective::exscan:
      break;
  }
  return mine;
}

std::vector<Schedule> build_all(Build build, const Shape& shape, const Layout& layout) {
  std::vector<Schedule> ranks;
  ranks.reserve(static_cast<std::size_t>(shape.size));
  for (Rank me = 0; me < shape.size; ++me) {
    ranks.push_back(build(shape_on_rank(shape, me), layout, me));
  }
  return ranks;
}

std::optional<Fault> verify(std::string_view algorithm, const Shape& shape,
                            std::span<const Schedule> ranks, const Layout& layout) {
  const Proof proof{algorithm, shape, layout, ranks};
  for (Rank rank = 0; rank < shape.size; ++rank) {
    if (auto fault = check_structure(proof, rank)) return fault;
  }
  const StepGraph graph(ranks);
  if (auto fault = check_messages(proof, graph)) return fault;
  for (Rank rank = 0; rank < shape.size; ++rank) {
    if (auto fault = check_races(proof, rank)) return fault;
  }
  return check_run(proof, graph);
}

}  // namespace stretto
