#include "model/peers.hpp"

#include <bit>
#include <utility>

namespace stretto::model {

void Peers::set_other(std::size_t rank, Rank peer) {
  if (list_.empty() && rank == alike_) {
    const std::size_t distance = rank ^ static_cast<std::size_t>(peer);
    if (rank == 0) {
      onwards_ = distance;
      ++alike_;
      return;
    }
    if (across_ == 0 && distance == onwards_ && may_be_across()) {
      across_ = std::exchange(onwards_, 0);
      ++alike_;
      return;
    }
  }
  if (list_.empty()) make_list();
  list_[skipped() + rank] = peer;
}

// The ranks so far may as well be across: up to the distance's lowest bit that is the same, where
// all ranks have one across.
bool Peers::may_be_across() const {
  return alike_ <= (onwards_ & -onwards_) && ranks_ % (2 * std::bit_floor(onwards_)) == 0;
}

void Peers::make_list() {
  list_.resize(skipped() + ranks_, -1);
  for (std::size_t rank = 0; rank < alike_; ++rank) {
    list_[skipped() + rank] = by_form(rank);
  }
  alike_ = kDiffer;
}

void Peers::finish() {
  if (alike_ > 0 && alike_ < ranks_) make_list();
}

bool Peers::undo(const Peers& to) const {
  return list_.empty() && to.list_.empty() && alike_ == to.alike_ && across_ == to.across_ &&
         (onwards_ + to.onwards_) % ranks_ == 0;
}

const Rank* Peers::listed(LargeVector<Rank>& room) const {
  if (!list_.empty()) return list();
  room.resize(ranks_);
  for (std::size_t rank = 0; rank < ranks_; ++rank) room[rank] = (*this)[rank];
  return room.data();
}

}  // namespace stretto::model
