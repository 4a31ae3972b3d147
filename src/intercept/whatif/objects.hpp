// The program's windows and files: which ranks have a part in them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "intercept/whatif/process.hpp"

namespace stretto::intercept::whatif {

// Of a window, which ranks are in the epochs of MPI_Win_post and MPI_Win_start that are open.
struct Object {
  CommPtr comm{};  // its own: what is called on it is ordered by itself
  std::vector<int> posted{};
  std::vector<int> started{};
};

class Objects {
 public:
  // This rank's.
  [[nodiscard]] static Objects& get() { return of_rank<Objects>(); }

  // It was made of `parent`; all its ranks call it `id`.
  void add(std::uintptr_t object, const ClockedComm& parent, std::int64_t id);
  // Nothing of it where virtual time does not follow it.
  [[nodiscard]] CommPtr of(std::uintptr_t object);
  void remove(std::uintptr_t object);

  // The epochs that open and close: their ranks in the object's communicator.
  void post(std::uintptr_t window, MPI_Group group);
  void start(std::uintptr_t window, MPI_Group group);
  [[nodiscard]] std::vector<int> posted(std::uintptr_t window);
  [[nodiscard]] std::vector<int> started(std::uintptr_t window);
  void complete(std::uintptr_t window);
  void wait(std::uintptr_t window);

 private:
  [[nodiscard]] static std::vector<int> ranks_in(const ClockedComm& comm, MPI_Group group);

  std::unordered_map<std::uintptr_t, Object> objects_;
};

}  // namespace stretto::intercept::whatif
