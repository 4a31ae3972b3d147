#pragma once

#include <map>
#include <utility>

namespace stretto {

// A std::map that keeps the memory of what was erased last for what is inserted next: for maps that
// hold one element or none most of the time, and change all the time.
template <class Key, class Value>
class SpareMap {
 public:
  using iterator = std::map<Key, Value>::iterator;

  [[nodiscard]] bool contains(const Key& key) const { return elements_.contains(key); }
  [[nodiscard]] iterator find(const Key& key) { return elements_.find(key); }
  [[nodiscard]] iterator end() { return elements_.end(); }
  [[nodiscard]] Value& at(const Key& key) { return elements_.at(key); }

  // What is there; otherwise something new, or as the last one was when it was erased.
  Value& insert(const Key& key) {
    if (const auto known = elements_.find(key); known != elements_.end()) return known->second;
    if (spare_.empty()) return elements_[key];
    spare_.key() = key;
    return elements_.insert(std::move(spare_)).position->second;
  }

  void erase(iterator element) { spare_ = elements_.extract(element); }

 private:
  std::map<Key, Value> elements_;
  std::map<Key, Value>::node_type spare_;
};

}  // namespace stretto
