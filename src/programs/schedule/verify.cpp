#include "schedule/verify.hpp"

#include "base/json.hpp"
#include "collectives/claims.hpp"
#include "programs/schedule/verbs.hpp"

namespace stretto::programs {
namespace {

struct Proven {
  std::int64_t cases = 0;
  std::optional<Fault> fault;
};

// Stops at the first fault: smaller communicators come first, so it is the simplest.
Proven prove(const Algorithm& algorithm, int max_ranks) {
  Proven proven;
  const Claims claims = claims_of(algorithm);
  for (const int size : sizes_to_prove(max_ranks)) {
    const std::vector<Layout> layouts = layouts_to_prove(claims, size);
    for (const Shape& shape : shapes_to_prove(claims, size)) {
      for (const Layout& layout : layouts) {
        const auto ranks = build_all(algorithm.build, shape, layout);
        proven.fault = stretto::verify(algorithm.name, shape, ranks, layout);
        if (proven.fault) return proven;
        ++proven.cases;
      }
    }
  }
  return proven;
}

std::vector<const Algorithm*> selected(std::optional<Collective> collective,
                                       std::optional<std::string_view> name) {
  if (name && !collective) throw BadInput("--algorithm needs a collective before it");
  if (name) return {&known_algorithm(*collective, *name)};
  std::vector<const Algorithm*> selected;
  for (const Algorithm* each : algorithms()) {
    if (!collective || each->collective == *collective) selected.push_back(each);
  }
  return selected;
}

}  // namespace

int verify(Arguments& arguments, std::ostream& out) {
  const auto chosen = selected(arguments.collective(), arguments.text("--algorithm"));
  const auto max_ranks = static_cast<int>(arguments.number("--max-ranks", 1, 129).value_or(129));
  arguments.reject_others("verify");

  int exit_code = kOk;
  for (const Algorithm* each : chosen) {
    const Proven proven = prove(*each, max_ranks);
    std::string text;
    Json json(text);
    json.begin_object()
        .field("collective", name_of(each->collective))
        .field("algorithm", each->name)
        .field("cases", proven.cases)
        .key("fault");
    if (proven.fault) {
      json.value(proven.fault->message);
      exit_code = kFaultFound;
    } else {
      json.null();
    }
    json.end_object();
    out << text << '\n' << std::flush;  // a reader shows progress: each line at once
  }
  return exit_code;
}

}  // namespace stretto::programs
