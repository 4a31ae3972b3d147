// Memory of ours for elements of the program's types.
#pragma once

#include <cstddef>
#include <memory>

#include "mpi/element.hpp"

namespace stretto {

class Storage {
 public:
  Storage() = default;
  // Room for `count` elements.
  Storage(const Element& element, Count count);

  // Where the first element's address is: a type may begin below its address (negative
  // lower bound) or reach past its extent. nullptr without elements.
  [[nodiscard]] void* base() const { return memory_ ? memory_.get() + below_ : nullptr; }

 private:
  std::shared_ptr<std::byte[]> memory_;
  MPI_Aint below_ = 0;
};

}  // namespace stretto
