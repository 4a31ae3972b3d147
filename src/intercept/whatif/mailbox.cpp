#include "intercept/whatif/mailbox.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.hpp"
#include "mpi/world.hpp"
#include "topology/topology.hpp"

namespace stretto::intercept::whatif {
namespace {

constexpr int kTag = 1;
constexpr int kSeldom = 16;
constexpr int kTested = 4;                       // of what is under way, at a time
constexpr std::int64_t kShortestSleep = 20'000;  // ns
constexpr std::int64_t kLongestSleep = 1'000'000;
constexpr std::int64_t kLongestForToken = 100'000'000;

using Name = std::array<char, 64>;

}  // namespace

void Mailbox::open(MPI_Comm own, std::size_t scenarios) {
  scenarios_ = scenarios;
  own_ = own;
  native().Comm_rank(own, &rank_);
  native().Comm_size(own, &size_);
  const auto n = static_cast<std::size_t>(size_);
  sent_.assign(n, 0);
  expected_.assign(n, 0);
  early_.resize(n);
  messages_.resize(n);
  local_of_.assign(n, -1);
  share_hosts_memory();
}

void Mailbox::share_hosts_memory() {
  const auto affinities = of_all_ranks(Affinity::here(), size_, own_);
  const Topology topology(affinities);
  const int host = topology.host_of(rank_);
  CoreSet cores{};
  for (int rank = 0; rank < size_; ++rank) {
    if (topology.host_of(rank) != host) continue;
    if (rank == rank_) local_ = static_cast<int>(world_of_.size());
    local_of_[static_cast<std::size_t>(rank)] = static_cast<int>(world_of_.size());
    world_of_.push_back(rank);
    cores |= affinities[static_cast<std::size_t>(rank)].cores;
  }
  const int ranks = static_cast<int>(world_of_.size());
  // Where the cores are unknown each rank has one: nobody waits for a token.
  const int tokens = cores.any() ? static_cast<int>(cores.count()) : ranks;
  oversubscribed_ = ranks > tokens;

  Name mine{};
  std::string created;
  if (local_ == 0) {
    created = memory_.create(ranks, tokens);
    created.copy(mine.data(), mine.size() - 1);
  }
  const auto names = of_all_ranks(mine, size_, own_);
  const Name& name = names[static_cast<std::size_t>(world_of_[0])];
  const bool opened = local_ == 0 ? !created.empty() : memory_.open(name.data(), local_, ranks);
  const auto all = of_all_ranks(opened ? 1 : 0, size_, own_);  // and nobody needs the name any more
  if (local_ == 0 && !created.empty()) HostMemory::forget_name(created);
  const bool shared = std::all_of(world_of_.begin(), world_of_.end(), [&](int rank) {
    return all[static_cast<std::size_t>(rank)] != 0;
  });
  needs_messages_ = !shared || ranks < size_ || oversubscribed_;
  if (shared) return;
  if (oversubscribed_ && local_ == 0)
    say("no shared memory (/dev/shm): virtual time is less exact");
  memory_.close();
  std::fill(local_of_.begin(), local_of_.end(), -1);
  oversubscribed_ = false;
}

void Mailbox::close() {
  give_token();
  forget_sent(true);
  memory_.close();
}

void Mailbox::send(int to, ClockMessage message) {
  const auto receiver = static_cast<std::size_t>(to);
  message.number = sent_[receiver]++;
  message.sender = rank_;
  const int local = local_of_[receiver];
  if (local >= 0 && memory_.put(local, message, message.sent_bytes(scenarios_))) return;
  underway_.push_back({message, {}});
  Sent& sent = underway_.back();
  native().Isend(&sent.message, sizeof(ClockMessage), native().byte, to, kTag, own_, &sent.request);
  forget_sent(false);
}

bool Mailbox::reaches_at_once(const std::vector<int>& ranks) const {
  return !oversubscribed_ && std::all_of(ranks.begin(), ranks.end(), [this](int rank) {
    return local_of_[static_cast<std::size_t>(rank)] >= 0;
  });
}

// A few in turn: while a receiver does not come to receive there may be thousands to it, and those
// to others are done.
void Mailbox::forget_sent(bool all) {
  for (int tested = 0; !underway_.empty() && (all || tested < kTested); ++tested) {
    int done = 0;
    do {
      native().Test(&underway_.front().request, &done, MPI_STATUS_IGNORE);
    } while (all && done == 0);
    if (done != 0) {
      underway_.pop_front();
    } else {
      underway_.splice(underway_.end(), underway_, underway_.begin());
    }
  }
}

void Mailbox::ring_doorbell(int rank) {
  const int local = local_of_[static_cast<std::size_t>(rank)];
  if (oversubscribed_ && local >= 0) memory_.ring_doorbell(local);
}

bool Mailbox::poll() {
  bool any = false;
  if (memory_.is_open()) {
    for (int local = 0; local < static_cast<int>(world_of_.size()); ++local) {
      any = take_ring(local) || any;
    }
  }
  if (!needs_messages_ && ++polls_ % kSeldom != 0) return any;
  while (take_message()) any = true;
  if (!underway_.empty()) forget_sent(false);
  return any;
}

bool Mailbox::poll(int sender) {
  const int local = local_of_[static_cast<std::size_t>(sender)];
  return (local >= 0 && take_ring(local)) || poll();
}

bool Mailbox::take_ring(int local) {
  const ClockMessage* const message = memory_.front(local);
  if (message == nullptr) return false;
  ClockMessage copy;
  std::memcpy(static_cast<void*>(&copy), message, message->sent_bytes(scenarios_));
  memory_.drop(local);
  accept(copy);
  return true;
}

// Where a ring was full they come this way, too.
bool Mailbox::take_message() {
  int came = 0;
  MPI_Status status{};
  native().Iprobe(MPI_ANY_SOURCE, kTag, own_, &came, &status);
  if (came == 0) return false;
  ClockMessage message;
  native().Recv(&message, sizeof message, native().byte, status.MPI_SOURCE, kTag, own_,
                MPI_STATUS_IGNORE);
  accept(message);
  return true;
}

// In the order in which they were written, whichever way they came.
void Mailbox::accept(const ClockMessage& message) {
  const auto sender = static_cast<std::size_t>(message.sender);
  if (message.number != expected_[sender]) {
    early_[sender].emplace(message.number, message);
    return;
  }
  ++expected_[sender];
  deliver(message);
  auto& early = early_[sender];
  while (!early.empty() && early.begin()->first == expected_[sender]) {
    const ClockMessage next = early.begin()->second;
    early.erase(early.begin());
    ++expected_[sender];
    deliver(next);
  }
}

void Mailbox::deliver(const ClockMessage& message) {
  if (message.kind == ClockMessageKind::message) {
    if (spare_.empty()) spare_.emplace_back();
    spare_.front() = message;
    ClockMessages& messages = messages_from(message.sender);
    messages.splice(messages.end(), spare_, spare_.begin());
  } else {
    reader_(message);
  }
}

std::uint32_t Mailbox::doorbell() const { return oversubscribed_ ? memory_.doorbell(local_) : 0; }

void Mailbox::back_off(int& times, std::uint32_t seen) {
  ++times;
  if (!oversubscribed_) {
    if (times % 64 == 0) sched_yield();
    return;
  }
  const std::int64_t longer = kShortestSleep << std::min(times / 4, 6);
  memory_.sleep(local_, seen, std::min(longer, kLongestSleep));
}

bool Mailbox::take_token() {
  if (!oversubscribed_ || has_token_) return true;
  has_token_ = memory_.take_token(kLongestForToken);
  return has_token_;
}

void Mailbox::give_token() {
  if (!has_token_) return;
  memory_.give_token();
  has_token_ = false;
}

}  // namespace stretto::intercept::whatif
