#include "transport/shm/shm_transport.hpp"

#include <algorithm>
#include <atomic>
#include <deque>

#include "transport/shm/copy_limit.hpp"
#include "transport/shm/host_group.hpp"
#include "transport/shm/root_sends.hpp"
#include "transport/shm/shared_blocks.hpp"

namespace stretto::shm {
namespace {

// So much for each two ranks and direction where they are few; many share what 32 MiB give them.
constexpr RingSize kLargest{.lines = 64, .bytes = 128 << 10};
constexpr RingSize kSmallest{.lines = 8, .bytes = 512};
constexpr std::size_t kMostMemory = std::size_t{32} << 20;
// Where even the smallest would take more the ranks share none: some 350 on a host.
constexpr std::size_t kTooMuchMemory = std::size_t{152} << 20;

RingSize ring_size(int ranks) {
  const auto pairs = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  RingSize size = kLargest;
  while (pairs * size.memory() > kMostMemory && size.bytes > kSmallest.bytes) {
    size.bytes /= 2;
    size.lines = std::max(size.lines / 2, kSmallest.lines);
  }
  return size;
}

// Of a rank: does it poll all the time now, and what wakes it?
struct alignas(kLineBytes) Attention {
  std::atomic<std::uint32_t> polls;
  Doorbell doorbell;
};

// A send buffer each, as long as they are few.
constexpr std::size_t kLargestBuffer = std::size_t{1} << 20;
constexpr std::size_t kMostBuffers = std::size_t{16} << 20;

std::size_t buffer_bytes(int ranks) {
  const std::size_t share = kMostBuffers / static_cast<std::size_t>(ranks);
  return std::min(kLargestBuffer, share / kLineBytes * kLineBytes);
}

// On a host of more ranks than these no communicator has shared blocks.
constexpr int kMostRanksWithBlocks = 64;

std::size_t block_bytes(int ranks) {
  return ranks <= kMostRanksWithBlocks ? SharedBlocks::kMemory + RootSends::kMemory : 0;
}

// What lies where: what each rank has, by rank, and what there is from each to each.
class Places {
 public:
  Places(std::byte* base, int ranks)
      : base_(base), ranks_(static_cast<std::size_t>(ranks)), ring_(ring_size(ranks)) {}

  [[nodiscard]] Attention& attention(int rank) const {
    return reinterpret_cast<Attention*>(base_)[rank];
  }
  [[nodiscard]] OfferWords& offers(int from, int to) const {
    return reinterpret_cast<OfferWords*>(base_ + ranks_ * sizeof(Attention))[pair(from, to)];
  }
  [[nodiscard]] std::byte* ring(int from, int to) const {
    return base_ + before_rings() + pair(from, to) * ring_.memory();
  }
  [[nodiscard]] std::byte* buffer(int rank) const {
    return base_ + before_buffers() + static_cast<std::size_t>(rank) * buffer_bytes();
  }
  [[nodiscard]] RingSize ring() const { return ring_; }
  [[nodiscard]] std::size_t buffer_bytes() const {
    return shm::buffer_bytes(static_cast<int>(ranks_));
  }
  // Of SharedBlocks; nullptr where there are none.
  [[nodiscard]] std::byte* blocks(int rank) const {
    const std::size_t bytes = block_bytes(static_cast<int>(ranks_));
    return bytes == 0 ? nullptr : base_ + before_blocks() + static_cast<std::size_t>(rank) * bytes;
  }
  [[nodiscard]] std::size_t memory() const {
    return before_blocks() + ranks_ * block_bytes(static_cast<int>(ranks_));
  }

 private:
  [[nodiscard]] std::size_t pair(int from, int to) const {
    return static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to);
  }
  [[nodiscard]] std::size_t before_rings() const {
    return ranks_ * sizeof(Attention) + ranks_ * ranks_ * sizeof(OfferWords);
  }
  [[nodiscard]] std::size_t before_buffers() const {
    return before_rings() + ranks_ * ranks_ * ring_.memory();
  }
  [[nodiscard]] std::size_t before_blocks() const {
    return before_buffers() + ranks_ * buffer_bytes();
  }

  std::byte* base_;
  std::size_t ranks_;
  RingSize ring_;
};

// 0: too much.
std::size_t memory_of(int ranks) {
  const std::size_t all = Places(nullptr, ranks).memory();
  return all <= kTooMuchMemory ? all : 0;
}

}  // namespace

struct ShmTransport::Neighbours {
  HostGroup here;
  Attention* attention = nullptr;  // of this rank
  bool is_whole = false;           // all ranks of the group are here
  SendBuffer send_buffer;
  std::deque<Peer> peers;  // by place among the host's ranks; they cannot be moved
};

ShmTransport::ShmTransport(const Packing& packing) : packing_(packing) {}
ShmTransport::~ShmTransport() = default;

template <class Action>
int ShmTransport::post(Peer& peer, const Action& action) {
  const int error = action();
  if (!peer.is_polled && !peer.is_quiet()) {
    peer.is_polled = true;
    polled_.push_back(&peer);
  }
  return error;
}

Transport::Joined ShmTransport::join(const Group& group) {
  HostGroup here = HostGroup::of(group, memory_of, known_copying());
  if (here.ranks.empty()) return {};
  const auto ranks = static_cast<int>(here.ranks.size());
  const Places places(here.memory.base(), ranks);
  auto made = std::make_unique<Neighbours>();
  made->send_buffer = SendBuffer(places.buffer(here.local), places.buffer_bytes());
  for (int place = 0; place < ranks; ++place) {
    made->peers.emplace_back(packing_, Peer::Ends{.out = places.ring(here.local, place),
                                                  .in = places.ring(place, here.local),
                                                  .size = places.ring(),
                                                  .offers_out = &places.offers(here.local, place),
                                                  .offers_in = &places.offers(place, here.local),
                                                  .send_buffer = &made->send_buffer,
                                                  .buffer_there = places.buffer(place),
                                                  .pid = here.pids[static_cast<std::size_t>(place)],
                                                  .pulls = here.pulls,
                                                  .attend = {&places.attention(here.local).polls,
                                                             &places.attention(place).polls},
                                                  .doorbell = &places.attention(place).doorbell});
  }
  made->attention = &places.attention(here.local);
  made->is_whole = ranks == group.size;
  std::vector<std::byte*> shared;
  for (int place = 0; place < ranks && places.blocks(0) != nullptr; ++place) {
    shared.push_back(places.blocks(place));
  }
  made->here = std::move(here);
  know_copying(group, *made);
  Neighbours& joined = *made;
  const std::lock_guard lock(mutex_);
  joined.attention->polls.store(attends_ ? 1 : 0, std::memory_order_relaxed);
  groups_.push_back(std::move(made));
  return {.group = {reinterpret_cast<std::uintptr_t>(&joined)},
          .reached = joined.here.ranks,
          .beats_kernel = {joined.here.copying.value_or(Copying{}).below,
                           joined.here.copying.value_or(Copying{}).anew_below},
          .shared = std::move(shared)};
}

std::optional<Copying> ShmTransport::known_copying() const {
  const std::lock_guard lock(mutex_);
  return copying_;
}

// Two by two; one that is left over does as the others of its host.
void ShmTransport::know_copying(const Group& group, Neighbours& neighbours) {
  HostGroup& here = neighbours.here;
  if (!here.copying) {
    const auto partner = static_cast<std::size_t>(here.local ^ 1);
    Copying mine{.below = kAlwaysCopied, .anew_below = kAlwaysCopied, .takes_lines = true};
    if (partner < neighbours.peers.size()) {
      neighbours.attention->polls.store(1, std::memory_order_relaxed);
      mine = measure_copying(neighbours.peers[partner], here.pulls);
    }
    here.agree_on_copying(group, mine);
    const std::lock_guard lock(mutex_);
    if (here.pulls) copying_ = here.copying;  // else nothing is known of where they do
  }
  for (Peer& peer : neighbours.peers) peer.copy_as(here.copying.value_or(Copying{}));
}

ShmTransport::Neighbours& ShmTransport::neighbours_of(Opaque group) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what join made of the pointer
  return *reinterpret_cast<Neighbours*>(group.bits);
}

void ShmTransport::leave(Opaque group) {
  if (group.bits == 0) return;  // of a group that shares no memory
  const Neighbours* const left = &neighbours_of(group);
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::find(groups_, left, &std::unique_ptr<Neighbours>::get);
  left_.push_back(std::move(*place));
  groups_.erase(place);
  has_left_ = true;
}

void ShmTransport::forget_left() {
  const std::lock_guard lock(mutex_);
  for (const auto& group : left_) {
    for (const Peer& peer : group->peers) std::erase(polled_, &peer);
  }
  left_.clear();
  has_left_ = false;
}

Peer& ShmTransport::peer_of(const Endpoint& end) {
  Neighbours& neighbours = neighbours_of(end.group);
  const auto& ranks = neighbours.here.ranks;
  const auto rank = static_cast<std::size_t>(end.peer);
  // Most often where all ranks of the group are on this host.
  if (rank < ranks.size() && ranks[rank] == end.peer) return neighbours.peers[rank];
  const auto place = std::ranges::lower_bound(ranks, end.peer) - ranks.begin();
  return neighbours.peers[static_cast<std::size_t>(place)];
}

int ShmTransport::post_send(const Piece& data, const Endpoint& to, Token token) {
  Peer& peer = peer_of(to);
  return post(peer, [&] { return peer.send(data, to.tag, token, to.is_blocking); });
}

int ShmTransport::post_recv(const Piece& data, const Endpoint& from, Token token) {
  Peer& peer = peer_of(from);
  return post(
      peer, [&] { return peer.receive(data, from.tag, token, from.written_anew, from.follower); });
}

const std::vector<Transport::Completed>& ShmTransport::poll() {
  if (has_left_) forget_left();
  completed_.clear();
  has_moved_ = false;
  for (Peer* peer : polled_) {
    if (peer->poll(completed_)) has_moved_ = true;
  }
  std::erase_if(polled_, [](Peer* peer) {
    peer->forget_copies();
    peer->is_polled = !peer->is_quiet();
    return !peer->is_polled;
  });
  return completed_;
}

void ShmTransport::attend(bool polls) {
  const std::lock_guard lock(mutex_);
  attends_ = polls;
  for (const auto& group : groups_) {
    group->attention->polls.store(polls ? 1 : 0, std::memory_order_relaxed);
  }
}

// A rank says the same in all groups, and the first is MPI_COMM_WORLD's.
bool ShmTransport::is_awaited() const {
  const std::lock_guard lock(mutex_);
  if (groups_.empty()) return false;
  const Neighbours& all = *groups_.front();
  const Peer* const self = &all.peers[static_cast<std::size_t>(all.here.local)];
  return std::ranges::any_of(
      all.peers, [self](const Peer& peer) { return &peer != self && peer.is_attending(); });
}

// It sleeps by one, and in each group others see another.
Doorbell* ShmTransport::doorbell() {
  const std::lock_guard lock(mutex_);
  const bool is_all = groups_.size() == 1 && groups_.front()->is_whole;
  return is_all ? &groups_.front()->attention->doorbell : nullptr;
}

void ShmTransport::ring_others() {
  for (const Peer* peer : polled_) peer->ring_doorbell();
}

std::vector<Transport::Token> ShmTransport::in_flight() const {
  const std::lock_guard lock(mutex_);
  std::vector<Token> tokens;
  for (const auto& group : groups_) {
    for (const Peer& peer : group->peers) peer.add_in_flight(tokens);
  }
  return tokens;
}

void ShmTransport::cancel_receives(const void* owner) {
  const std::lock_guard lock(mutex_);
  for (const auto& group : groups_) {
    for (Peer& peer : group->peers) peer.cancel_receives(owner);
  }
}

}  // namespace stretto::shm
