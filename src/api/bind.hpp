// The buffers of a call as its schedule's.
#pragma once

#include <optional>

#include "api/call.hpp"

namespace stretto {

// MPI_IN_PLACE stands where the rank's own data would be: in the send buffer, or for the
// root of a scatter in the receive buffer.
[[nodiscard]] bool is_in_place(const Call& call);

// Which buffers this rank's data lie in. Bcast and reductions describe theirs as the recv one.
struct Used {
  bool send = false;
  bool recv = false;
};
[[nodiscard]] Used used_buffers(const Call& call, const Communicator& comm);

// The side that describes one rank's block on this rank: the other one may be missing
// (not the root) or ignored (MPI_IN_PLACE).
struct Side {
  Count count = 0;
  MPI_Datatype type{};
};
[[nodiscard]] Side describing_side(const Call& call, bool is_root);

// What Engine::start wants.
struct Bound {
  Binding binding;
  std::optional<Staging> staging;
};
[[nodiscard]] Bound bind(const Call& call, const Communicator& comm, const Shape& shape);

}  // namespace stretto
