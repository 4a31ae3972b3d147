#include "intercept/profile/completing.hpp"

namespace stretto::intercept::profile {

std::span<const MPI_Request> Handles::at(std::span<const int> places) {
  if (places.size() == 1) return all_.subspan(static_cast<std::size_t>(places.front()), 1);
  chosen_.clear();
  for (const int place : places) chosen_.push_back(all_[static_cast<std::size_t>(place)]);
  return chosen_;
}

std::span<const MPI_Request> Handles::gone_from(const MPI_Request* requests) {
  chosen_.clear();
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (requests[i] == native().request_null) chosen_.push_back(all_[i]);
  }
  return chosen_;
}

}  // namespace stretto::intercept::profile
