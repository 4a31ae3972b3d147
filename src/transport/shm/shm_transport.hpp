// Moves data between the ranks of a host: what is short through rings in memory they share, what is
// long in one copy from the sender's memory. Where the kernel does not let them read each other's
// memory it goes through the rings, piece by piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "transport/shm/peer.hpp"
#include "transport/transport.hpp"

namespace stretto::shm {

class ShmTransport final : public Transport {
 public:
  explicit ShmTransport(const Packing& packing);
  ~ShmTransport() override;
  [[nodiscard]] Joined join(const Group& group) override;
  void leave(Opaque group) override;
  int post_send(const Piece& data, const Endpoint& to, Token token) override;
  int post_recv(const Piece& data, const Endpoint& from, Token token) override;
  [[nodiscard]] bool calls_nothing() const override { return true; }
  [[nodiscard]] bool stays_on_host() const override { return true; }
  [[nodiscard]] bool idle() const override { return polled_.empty(); }
  const std::vector<Completed>& poll() override;
  [[nodiscard]] bool has_moved() const override { return has_moved_; }
  void attend(bool polls) override;
  [[nodiscard]] bool is_awaited() const override;
  [[nodiscard]] Doorbell* doorbell() override;
  void ring_others() override;
  [[nodiscard]] std::vector<Token> in_flight() const override;
  void cancel_receives(const void* owner) override;

 private:
  // A group that has joined: its ranks of this host.
  struct Neighbours;

  [[nodiscard]] static Neighbours& neighbours_of(Opaque group);
  [[nodiscard]] static Peer& peer_of(const Endpoint& end);
  [[nodiscard]] std::optional<Copying> known_copying() const;
  void know_copying(const Group& group, Neighbours& neighbours);
  void forget_left();
  // What may give the peer something to do.
  template <class Action>
  int post(Peer& peer, const Action& action);

  const Packing packing_;
  // Groups join and leave beside what the owner serialises.
  mutable std::mutex mutex_;  // of the lists and of copying_
  std::vector<std::unique_ptr<Neighbours>> groups_;
  bool attends_ = false;
  std::optional<Copying> copying_;  // once this rank has met another
  // Until the next poll: what is polled is the owner's alone, and one that leaves may be in it.
  std::vector<std::unique_ptr<Neighbours>> left_;
  std::atomic<bool> has_left_{false};
  // Those with which anything goes on: a host may have hundreds.
  std::vector<Peer*> polled_;
  std::vector<Completed> completed_;
  bool has_moved_ = false;
};

}  // namespace stretto::shm
