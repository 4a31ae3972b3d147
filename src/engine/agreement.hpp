// What the ranks of a communicator agree on before Stretto uses it: by an all-reduce or two of the
// MPI's on the communicator itself, whose cost does not grow with anything but its depth.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/tags.hpp"
#include "mpi/native.hpp"

namespace stretto {

// A communicator as the MPI's collectives see it.
struct Members {
  MPI_Comm comm{};
  bool is_inter = false;
  int rank = 0;  // of its group
};

// `words` become what the ranks (of both groups) have in common: a bit stays where all have it.
// Collective. Returns an MPI error code, of which the program's error handler has heard.
int keep_common_bits(const Members& members, std::span<std::uint64_t> words);

struct Agreement {
  int error = MPI_SUCCESS;
  std::uint64_t flags = 0;  // that all ranks have raised
  std::optional<int> id;    // of `ids`, no rank's any more; nothing where none is free on all
};

// Agrees on a context id, and on flags (but the highest, which is used here). Collective; threads
// may agree on several communicators at a time, in any order (see ContextIds).
[[nodiscard]] Agreement agree(const Members& members, std::uint64_t flags, ContextIds& ids);

}  // namespace stretto
