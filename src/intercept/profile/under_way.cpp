#include "intercept/profile/under_way.hpp"

#include <algorithm>

namespace stretto::intercept::profile {

bool UnderWay::is_sent(const Request& request) {
  return request.use.begun.message.role == ProfiledMessage::Role::sent;
}

bool UnderWay::is_received(const Request& request) {
  return request.use.begun.message.role == ProfiledMessage::Role::received;
}

void UnderWay::begin(std::int64_t enter) {
  if (requests_.empty() || enter <= last_leave_) return;
  shared_ += static_cast<double>(enter - last_leave_) / static_cast<double>(requests_.size());
}

Completed UnderWay::end(const AffectedRequests& affected, int call_site, std::int64_t enter,
                        std::int64_t leave, const RequestUse& use) {
  last_leave_ = std::max(last_leave_, leave);
  const auto time = static_cast<double>(leave - enter);
  switch (affected.effect) {
    case RequestEffect::none:
      break;
    case RequestEffect::prepares:
      for (const MPI_Request handle : affected.requests) prepared_[handle] = use;
      break;
    case RequestEffect::starts:
      for (const MPI_Request handle : affected.requests) start(handle, call_site, use);
      break;
    case RequestEffect::starts_again:
      start_again(affected.requests, call_site, enter);
      break;
    case RequestEffect::completes:
      return complete(affected, time);
    case RequestEffect::polls:
      poll(affected.requests, time);
      break;
    case RequestEffect::frees:
      for (const MPI_Request handle : affected.requests) free(handle);
      break;
  }
  return {};
}

void UnderWay::close() {
  for (const auto& [handle, request] : requests_) {
    if (is_sent(request)) messages_.abandon(request.use.begun);
  }
}

Overlap UnderWay::at(int call_site) const {
  const auto index = static_cast<std::size_t>(call_site);
  return index < overlaps_.size() ? overlaps_[index] : Overlap{};
}

void UnderWay::start(MPI_Request handle, int call_site, const RequestUse& use) {
  const auto index = static_cast<std::size_t>(call_site);
  const bool is_one = handle != native().request_null;
  if (is_one && index >= overlaps_.size()) overlaps_.resize(index + 1);
  if (is_one) ++overlaps_[index].started;
  Request request{.call_site = call_site, .shared = shared_, .use = use};
  BegunMessage& begun = request.use.begun;
  begun.order = order_++;
  if (is_sent(request)) begun.number = messages_.number(begun.message);
  if (!is_one || requests_.size() >= kMost) {
    if (is_sent(request)) messages_.abandon(begun);
    return;
  }
  count_receive(request, 1);
  requests_.emplace(handle, request);
}

void UnderWay::start_again(std::span<const MPI_Request> handles, int call_site,
                           std::int64_t enter) {
  for (const MPI_Request handle : handles) {
    for (auto found = requests_.find(handle); found != requests_.end();
         found = requests_.find(handle)) {
      leave_to_itself(found);
    }
  }
  for (const MPI_Request handle : handles) {
    const auto found = prepared_.find(handle);
    RequestUse use = found == prepared_.end() ? RequestUse{} : found->second;
    use.begun.begin = enter;
    start(handle, call_site, use);
  }
}

// Nothing says which of them the call waited for, and how long: each has its part.
Completed UnderWay::complete(const AffectedRequests& affected, double time) {
  completed_.clear();
  Completed all;
  for (std::size_t i = 0; i < affected.requests.size(); ++i) {
    if (affected.requests[i] == native().request_null) continue;
    const auto found = requests_.find(affected.requests[i]);
    if (found == requests_.end()) {
      ++all.unknown;
      continue;
    }
    completed_.push_back(found->second);
    requests_.erase(found);
    take(completed_.back(), affected.statuses == nullptr ? nullptr : &affected.statuses[i]);
  }
  for (const Request& request : completed_) {
    const double waited = request.waited + time / static_cast<double>(completed_.size());
    Overlap& overlap = overlaps_[static_cast<std::size_t>(request.call_site)];
    ++overlap.completed;
    const double computed = shared_ - request.shared;
    overlap.computed += computed;
    overlap.waited += waited;
    overlap.hideable += std::min(waited, computed);
    ++all.requests;
    all.bytes += request.use.bytes;
    if (request.use.begun.message.role != ProfiledMessage::Role::none) ++all.messages;
  }
  return all;
}

void UnderWay::count_receive(const Request& request, int more) {
  if (!is_received(request)) return;
  receives_ += static_cast<std::size_t>(more);
  if (request.use.begun.message.is_open()) open_receives_ += static_cast<std::size_t>(more);
}

// Its message is complete.
void UnderWay::take(Request& request, const MPI_Status* status) {
  ProfiledMessage& message = request.use.begun.message;
  count_receive(request, -1);
  if (is_received(request)) {
    int is_cancelled = 0;
    if (status != nullptr) native().Test_cancelled(status, &is_cancelled);
    if (is_cancelled != 0) {
      message.role = ProfiledMessage::Role::trivial;
    } else if (message.is_open() && status != nullptr) {
      message.settle(*status);
    } else if (message.is_open()) {
      message.role = ProfiledMessage::Role::none;  // nothing says whose it was
    }
  }
  if (is_sent(request) || message.role == ProfiledMessage::Role::received) {
    messages_.complete(request.use.begun);
  }
}

// Nothing will say when it is complete.
void UnderWay::leave_to_itself(Requests::iterator found) {
  if (is_sent(found->second)) messages_.abandon(found->second.use.begun);
  count_receive(found->second, -1);
  requests_.erase(found);
}

void UnderWay::free(MPI_Request handle) {
  prepared_.erase(handle);
  if (const auto found = requests_.find(handle); found != requests_.end()) leave_to_itself(found);
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
