#include "transport/fake_transport.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stretto {

int FakeNetwork::copy_bytes(const Piece& from, const Piece& to) {
  if (from.bytes > 0) std::memcpy(to.address, from.address, static_cast<std::size_t>(from.bytes));
  return 0;
}

void FakeNetwork::hold(bool on) {
  const std::lock_guard lock(mutex_);
  held_ = on;
  for (auto& [key, queue] : queues_) deliver(queue);
}

void FakeNetwork::fail_next(Fails how, int error) {
  const std::lock_guard lock(mutex_);
  fails_ = how;
  error_ = error;
}

long FakeNetwork::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

int FakeNetwork::failure(Fails how) {
  if (fails_ != how) return 0;
  fails_ = Fails::none;
  return error_;
}

void FakeNetwork::deliver(Queue& queue) {
  while (!held_ && !queue.sends.empty() && !queue.receives.empty()) {
    const End sent = queue.sends.front();
    const End received = queue.receives.front();
    queue.sends.pop_front();
    queue.receives.pop_front();
    int error = failure(Fails::arrival);
    if (error == 0) error = copy_(sent.data, received.data);
    sent.by->complete(sent.token, 0);
    received.by->complete(received.token, error);
  }
}

// The first rank numbers the group.
Transport::Joined FakeTransport::join(const Group& group) {
  std::uintptr_t number = 0;
  {
    const std::lock_guard lock(network_->mutex_);
    if (group.rank == 0) number = ++network_->groups_;
  }
  std::vector<std::uintptr_t> numbers(static_cast<std::size_t>(group.size));
  group.allgather(std::as_bytes(std::span(&number, 1)), std::as_writable_bytes(std::span(numbers)));
  Joined joined{.group = {numbers.front()}};
  here_[joined.group.bits] = group.rank;
  for (int other = 0; other < group.size; ++other) {
    if (reaches_(group.rank, other)) joined.reached.push_back(other);
  }
  return joined;
}

int FakeTransport::post_send(const Piece& data, const Endpoint& to, Token token) {
  return post({to.group.bits, here_.at(to.group.bits), to.peer, to.tag}, true, data, token);
}

int FakeTransport::post_recv(const Piece& data, const Endpoint& from, Token token) {
  return post({from.group.bits, from.peer, here_.at(from.group.bits), from.tag}, false, data,
              token);
}

int FakeTransport::post(const FakeNetwork::Key& key, bool sends, const Piece& data, Token token) {
  const std::lock_guard lock(network_->mutex_);
  using Fails = FakeNetwork::Fails;
  const int error = network_->failure(sends ? Fails::send : Fails::receive);
  if (error != 0) return error;
  FakeNetwork::Queue& queue = network_->queues_[key];
  (sends ? queue.sends : queue.receives).push_back({data, token, this});
  if (sends) ++network_->messages_;
  in_flight_.push_back(token);
  network_->deliver(queue);
  return 0;
}

void FakeTransport::complete(Token token, int error) {
  const auto is_it = [token](const Token& each) {
    return each.owner == token.owner && each.step == token.step;
  };
  in_flight_.erase(std::ranges::find_if(in_flight_, is_it));
  arrived_.push_back({token, error});
}

bool FakeTransport::idle() const {
  const std::lock_guard lock(network_->mutex_);
  return in_flight_.empty() && arrived_.empty();
}

const std::vector<Transport::Completed>& FakeTransport::poll() {
  ++polls_;
  const std::lock_guard lock(network_->mutex_);
  completed_ = std::exchange(arrived_, {});
  return completed_;
}

std::vector<Transport::Token> FakeTransport::in_flight() const {
  const std::lock_guard lock(network_->mutex_);
  return in_flight_;
}

Doorbell* FakeTransport::doorbell() {
  return network_->has_doorbells_ && here_.size() == 1 ? &network_->doorbell(here_.begin()->second)
                                                       : nullptr;
}

void FakeTransport::ring_others() {
  for (Doorbell& each : network_->doorbells_) {
    if (network_->has_doorbells_ && &each != doorbell()) each.ring_listener();
  }
}

void FakeTransport::cancel_receives(const void* owner) {
  const std::lock_guard lock(network_->mutex_);
  for (auto& [key, queue] : network_->queues_) {
    for (std::size_t i = queue.receives.size(); i-- > 0;) {
      const FakeNetwork::End& each = queue.receives[i];
      if (each.by != this || each.token.owner != owner) continue;
      complete(each.token, 0);
      queue.receives.erase(queue.receives.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace stretto
