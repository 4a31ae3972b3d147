#include "schedule/verify_words.hpp"

#include <array>

#include "schedule/verify_meaning.hpp"

namespace stretto {
std::string_view name_of(Buffer buffer) {
  constexpr std::array<std::string_view, 3> kNames{"send", "recv", "scratch"};
  return kNames[static_cast<std::size_t>(buffer)];
}

std::string describe(const Region& region) {
  return words(name_of(region.buffer), '[', region.span.offset, ',', region.span.end(), ')');
}

std::string describe(const Step& step) {
  switch (step.kind) {
    case StepKind::send:
      if (step.from.span.count == 0) return words("signal to rank ", step.peer);
      return words("send ", describe(step.from), " to rank ", step.peer);
    case StepKind::recv:
      if (step.to.span.count == 0) return words("await rank ", step.peer);
      return words("recv from rank ", step.peer, " into ", describe(step.to));
    case StepKind::copy:
      if (step.to.span.count == 0 && step.from.span.count == 0) return "join";
      return words("copy ", describe(step.from), " to ", describe(step.to));
    case StepKind::reduce:
      return words("reduce ", describe(step.from), " into ", describe(step.to));
  }
  return "unknown kind of step";
}

std::string describe(const Schedule& schedule, StepId step) {
  return words("step ", step, " (", describe(schedule.steps[static_cast<std::size_t>(step)]), ')');
}

std::string describe(std::string_view algorithm, const Shape& shape) {
  std::string text = words(name_of(shape.collective), ' ', algorithm, ", ", shape.size,
                           shape.size == 1 ? " rank" : " ranks");
  if (shape.collective != Collective::barrier) text += words(", count ", shape.count);
  if (shape.segment != 0) text += words(", segment ", shape.segment);
  if (shape.radix != 2) text += words(", radix ", shape.radix);
  if (is_rooted(shape.collective)) text += words(", root ", shape.root);
  if (shape.in_place) text += ", in place";
  if (!shape.commutative) text += ", not commutative";
  return text;
}

std::string describe(const Layout& layout) {
  std::string text;
  for (const LayoutLevel& level : layout.levels()) {
    text += words(&level == layout.levels().data() ? "" : ", ", level.name(), ' ');
    const Partition& groups = level.groups();
    for (int group = 0; group < groups.groups(); ++group) {
      for (int member = 0; member < groups.size_of(group); ++member) {
        text += words(member == 0 ? '{' : ',', groups.members(group)[member]);
      }
      text += '}';
    }
  }
  return text;
}

Fault Proof::fault(Rank rank, StepId step, std::string_view what) const {
  std::string message = describe(algorithm, shape);
  if (!layout.levels().empty()) message += ", " + describe(layout);
  message += words(", rank ", rank);
  if (step != kNoStep) message += ", " + describe(of(rank), step);
  return {.rank = rank, .step = step, .message = words(message, ": ", what)};
}

}  // namespace stretto
