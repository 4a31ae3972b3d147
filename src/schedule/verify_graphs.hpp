// The graphs neighbourhood collectives are proven for.
#pragma once

#include <memory>
#include <vector>

#include "schedule/graph.hpp"

namespace stretto {

// For `size` ranks: a ring, a mesh with and without ends, no edges, a star, and random
// graphs where ranks have themselves and each other as neighbours several times over.
[[nodiscard]] std::vector<std::shared_ptr<const Graph>> graphs_to_prove(int size);

}  // namespace stretto
