#include "base/json.hpp"
#include "programs/schedule/verbs.hpp"

namespace stretto::programs {

int list(const Arguments& arguments, std::ostream& out) {
  const auto only = arguments.collective();
  arguments.reject_others("list");
  for (const Algorithm* each : algorithms()) {
    if (only && each->collective != *only) continue;
    std::string text;
    Json(text)
        .begin_object()
        .field("collective", name_of(each->collective))
        .field("algorithm", each->name)
        .field("keeps_rank_order", each->keeps_rank_order)
        .field("uses_segment", each->uses_segment)
        .field("uses_radix", each->uses_radix)
        .field("single_blocks", each->single_blocks)
        .field("two_groups", each->two_groups)
        .field("uses_layout", each->uses_layout)
        .end_object();
    out << text << '\n';
  }
  return kOk;
}

}  // namespace stretto::programs
