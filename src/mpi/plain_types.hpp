// Predefined datatypes that are plain memory, and the bytes of an element, as they were asked for:
// the MPI takes longer to say so than a short message.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "mpi/native.hpp"
#include "schedule/shape.hpp"

namespace stretto {

class PlainTypes {
 public:
  static constexpr Count kNotPlain = -1;

  [[nodiscard]] std::optional<Count> find(MPI_Datatype type) const {
    for (const Known& each : known_) {
      if (each.type == type && each.bytes != kNotPlain) return each.bytes;
    }
    return {};
  }
  // In the place of the one that was added before the others.
  void add(MPI_Datatype type, Count bytes) {
    known_[next_] = {type, bytes};
    next_ = (next_ + 1) % known_.size();
  }

 private:
  struct Known {
    MPI_Datatype type{};
    Count bytes = kNotPlain;
  };
  std::array<Known, 4> known_{};
  std::size_t next_ = 0;
};

}  // namespace stretto
