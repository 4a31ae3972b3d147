#include "intercept/profile/under_way.hpp"

#include <algorithm>

namespace stretto::intercept::profile {

void UnderWay::begin(std::int64_t enter) {
  if (requests_.empty() || enter <= last_leave_) return;
  shared_ += static_cast<double>(enter - last_leave_) / static_cast<double>(requests_.size());
}

void UnderWay::end(const Touched& touched, int site, std::int64_t enter, std::int64_t leave) {
  last_leave_ = std::max(last_leave_, leave);
  const auto time = static_cast<double>(leave - enter);
  switch (touched.deed) {
    case Deed::none:
      break;
    case Deed::starts_again:
      for (const MPI_Request handle : touched.requests) requests_.erase(handle);
      [[fallthrough]];
    case Deed::starts:
      for (const MPI_Request handle : touched.requests) start(handle, site);
      break;
    case Deed::completes:
      complete(touched.requests, time);
      break;
    case Deed::polls:
      poll(touched.requests, time);
      break;
    case Deed::frees:
      for (const MPI_Request handle : touched.requests) {
        if (const auto found = requests_.find(handle); found != requests_.end())
          requests_.erase(found);
      }
      break;
  }
}

Overlap UnderWay::at(int site) const {
  const auto index = static_cast<std::size_t>(site);
  return index < overlaps_.size() ? overlaps_[index] : Overlap{};
}

void UnderWay::start(MPI_Request handle, int site) {
  if (handle == native().request_null) return;
  const auto index = static_cast<std::size_t>(site);
  if (index >= overlaps_.size()) overlaps_.resize(index + 1);
  ++overlaps_[index].started;
  if (requests_.size() >= kMost) return;
  requests_.emplace(handle, Request{.site = site, .shared = shared_});
}

// Nothing says which of them the call waited for, and how long: each has its part.
void UnderWay::complete(std::span<const MPI_Request> handles, double time) {
  completed_.clear();
  for (const MPI_Request handle : handles) {
    const auto found = requests_.find(handle);
    if (found == requests_.end()) continue;
    completed_.push_back(found->second);
    requests_.erase(found);
  }
  for (const Request& request : completed_) {
    const double waited = request.waited + time / static_cast<double>(completed_.size());
    Overlap& overlap = overlaps_[static_cast<std::size_t>(request.site)];
    ++overlap.completed;
    const double computed = shared_ - request.shared;
    overlap.computed += computed;
    overlap.waited += waited;
    overlap.hideable += std::min(waited, computed);
  }
}

// A test of many may come very often: each in its turn has all of one test's time.
void UnderWay::poll(std::span<const MPI_Request> handles, double time) {
  if (handles.empty() || requests_.empty()) return;
  const std::size_t first = turn_++;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const MPI_Request handle = handles[(first + i) % handles.size()];
    if (handle == native().request_null) continue;
    const auto found = requests_.find(handle);
    if (found == requests_.end()) continue;
    found->second.waited += time;
    return;
  }
}

}  // namespace stretto::intercept::profile
