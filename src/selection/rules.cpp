#include "selection/rules.hpp"

#include <bit>

#include "selection/fastest.hpp"

namespace stretto {

Choice by_rules(std::span<const Rule> rules, const Query& query, Basis basis) {
  for (const Rule& rule : rules) {
    const bool fits = query.bytes <= rule.most_bytes && query.size >= rule.fewest_ranks &&
                      query.size <= rule.most_ranks && (rule.any_order || query.commutative) &&
                      (rule.any_form || query.form == Form::blocking) &&
                      (rule.any_number || std::has_single_bit(static_cast<unsigned>(query.size)));
    if (!fits) continue;
    const Algorithm* const algorithm = find_algorithm(query.collective, rule.algorithm);
    Choice choice{.algorithm = algorithm, .radix = rule.radix, .basis = basis};
    if (rule.segment_bytes > 0) {
      choice.segment_bytes = segment_for(rule.segment_bytes, query.bytes, query.element_bytes);
    }
    return choice;
  }
  return {};
}

}  // namespace stretto
