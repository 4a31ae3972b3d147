#include "intercept/profile/under_way.hpp"

#include <algorithm>

namespace stretto::intercept::profile {

void UnderWay::begin(std::int64_t enter) {
  if (requests_.empty() || enter <= last_leave_) return;
  shared_ += static_cast<double>(enter - last_leave_) / static_cast<double>(requests_.size());
}

void UnderWay::end(const AffectedRequests& affected, int call_site, std::int64_t enter,
                   std::int64_t leave) {
  last_leave_ = std::max(last_leave_, leave);
  const auto time = static_cast<double>(leave - enter);
  switch (affected.effect) {
    case RequestEffect::none:
      break;
    case RequestEffect::starts_again:
      for (const MPI_Request handle : affected.requests) requests_.erase(handle);
      [[fallthrough]];
    case RequestEffect::starts:
      for (const MPI_Request handle : affected.requests) start(handle, call_site);
      break;
    case RequestEffect::completes:
      complete(affected.requests, time);
      break;
    case RequestEffect::polls:
      poll(affected.requests, time);
      break;
    case RequestEffect::frees:
      for (const MPI_Request handle : affected.requests) {
        if (const auto found = requests_.find(handle); found != requests_.end())
          requests_.erase(found);
      }
      break;
  }
}

Overlap UnderWay::at(int call_site) const {
  const auto index = static_cast<std::size_t>(call_site);
  return index < overlaps_.size() ? overlaps_[index] : Overlap{};
}

void UnderWay::start(MPI_Request handle, int call_site) {
  if (handle == native().request_null) return;
  const auto index = static_cast<std::size_t>(call_site);
  if (index >= overlaps_.size()) overlaps_.resize(index + 1);
  ++overlaps_[index].started;
  if (requests_.size() >= kMost) return;
  requests_.emplace(handle, Request{.call_site = call_site, .shared = shared_});
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
    Overlap& overlap = overlaps_[static_cast<std::size_t>(request.call_site)];
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
