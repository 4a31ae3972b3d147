#include "schedule/verify_cases.hpp"

#include <algorithm>

#include "schedule/verify_graphs.hpp"
#include "schedule/verify_layouts.hpp"
#include "schedule/verify_meaning.hpp"

namespace stretto {
namespace {

constexpr int kEveryRootUpTo = 64;

bool is_vector(Collective collective) {  // `count` is divided among the ranks
  return collective == Collective::bcast ||
         (reduces(collective) && collective != Collective::reduce_scatter);
}

// A count and a segment.
struct Length {
  Count count = 0;
  Count segment = 0;
};

std::vector<Length> lengths(const Claims& claims, int size) {
  if (claims.collective == Collective::barrier) return {{}};
  std::vector<Length> lengths{{0}, {1}};
  if (is_vector(claims.collective)) {
    // What algorithms trip over is how the count divides by the size.
    for (const Count count : {size - 1, 2 * size + 1}) {
      if (count > 1) lengths.push_back({count});
    }
  } else {
    lengths.push_back({3});
  }
  if (claims.uses_segment) {
    // The last one: a rank's block is longer than a segment.
    lengths.insert(lengths.end(), {{5, 1}, {7, 3}, {3, 9}, {3 * size + 1, 2}});
  }
  return lengths;
}

std::vector<Rank> roots(Collective collective, int size) {
  if (!is_rooted(collective)) return {0};
  std::vector<Rank> roots;
  if (size <= kEveryRootUpTo) {
    for (Rank root = 0; root < size; ++root) roots.push_back(root);
  } else {
    roots = {0, 1, size / 2, size - 2, size - 1};
  }
  return roots;
}

std::vector<int> first_groups(const Claims& claims, int size) {
  if (!claims.two_groups) return {0};
  std::vector<int> groups;
  for (const int group : {1, size / 2, size - 1}) {
    const bool known = std::find(groups.begin(), groups.end(), group) != groups.end();
    if (group > 0 && group < size && !known) groups.push_back(group);
  }
  return groups;
}

std::vector<std::shared_ptr<const Graph>> graphs(Collective collective, int size) {
  return is_neighborhood(collective) ? graphs_to_prove(size)
                                     : std::vector<std::shared_ptr<const Graph>>{nullptr};
}

std::vector<bool> both_if(bool asked, bool otherwise) {
  return asked ? std::vector<bool>{false, true} : std::vector<bool>{otherwise};
}

}  // namespace

std::vector<int> sizes_to_prove(int max_size) {
  std::vector<int> sizes;
  for (int size = 1; size <= std::min(max_size, 64); ++size) sizes.push_back(size);
  for (const int size : {127, 128, 129}) {
    if (size <= max_size) sizes.push_back(size);
  }
  return sizes;
}

std::vector<Layout> layouts_to_prove(const Claims& claims, int size) {
  return claims.uses_layout ? layouts_to_prove(size) : std::vector<Layout>{{}};
}

std::vector<Shape> shapes_to_prove(const Claims& claims, int size) {
  const Collective collective = claims.collective;
  const bool in_place_too = has_in_place(collective) && !claims.two_groups;
  std::vector<Shape> plain;
  for (const Length& length : lengths(claims, size)) {
    for (const int radix : claims.uses_radix ? std::vector{2, 3, 4, 8, 16} : std::vector{2}) {
      for (const Rank root : roots(collective, size)) {
        for (const bool in_place : both_if(in_place_too, false)) {
          for (const bool commutative :
               both_if(reduces(collective) && claims.keeps_rank_order, true)) {
            plain.push_back({.collective = collective,
                             .size = size,
                             .count = length.count,
                             .segment = length.segment,
                             .radix = radix,
                             .root = root,
                             .in_place = in_place,
                             .commutative = commutative});
          }
        }
      }
    }
  }
  std::vector<Shape> shapes;
  for (Shape& shape : plain) {
    for (const int group : first_groups(claims, size)) {
      shape.first_group = group;
      for (const auto& graph : graphs(collective, size)) {
        shape.graph = graph;
        shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

}  // namespace stretto
