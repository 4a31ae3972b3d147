// The handles of one kind of objects on one rank: ints, as MPICH's are.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

namespace fake_mpi {

// A number is given again as soon as it is free, as MPIs do: who remembers a handle longer than its
// object lives meets another object.
template <class Object>
class Handles {
 public:
  // `first`: the kind and the rank are in it, so a handle means nothing on another rank.
  explicit Handles(int first) : first_(first) {}

  int add(std::shared_ptr<Object> object) {
    int handle = first_ + static_cast<int>(objects_.size());
    if (!free_.empty()) {
      handle = free_.back();
      free_.pop_back();
    }
    objects_[handle] = std::move(object);
    return handle;
  }
  // At a handle that is the same on all ranks.
  void put(int handle, std::shared_ptr<Object> object) { fixed_[handle] = std::move(object); }
  // nullptr: there is none.
  [[nodiscard]] std::shared_ptr<Object> find(int handle) const {
    if (const auto found = objects_.find(handle); found != objects_.end()) return found->second;
    const auto found = fixed_.find(handle);
    return found == fixed_.end() ? nullptr : found->second;
  }
  void remove(int handle) {
    if (objects_.erase(handle) != 0) free_.push_back(handle);
  }
  // That were added and not removed.
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  template <class Condition>
  [[nodiscard]] std::size_t count_if(const Condition& condition) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        objects_, [&](const auto& entry) { return condition(*entry.second); }));
  }

 private:
  int first_;
  std::map<int, std::shared_ptr<Object>> objects_;
  std::map<int, std::shared_ptr<Object>> fixed_;
  std::vector<int> free_;
};

}  // namespace fake_mpi
