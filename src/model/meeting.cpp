#include "model/meeting.hpp"

namespace stretto::model {

void Meeting::arrive(int rank, const CollectiveCall& call, std::span<const double> now) {
  ranks_.push_back(rank);
  calls_.push_back(call);
  times_.insert(times_.end(), now.begin(), now.end());
}

bool Meeting::is_of(const CollectiveCall& call) const {
  return calls_.empty() ||
         (calls_.front().collective == call.collective && calls_.front().root == call.root);
}

void Meeting::clear() {
  ranks_.clear();
  calls_.clear();
  times_.clear();
}

}  // namespace stretto::model
