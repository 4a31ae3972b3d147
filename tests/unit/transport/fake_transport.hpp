// A transport for tests: carries messages between the ranks that a test names, through memory of
// this process. It knows no MPI.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/transport.hpp"

namespace stretto {

// What the transports of all ranks have in common.
class FakeNetwork {
 public:
  // How data go from one piece to another; returns an MPI error code.
  using Copy = std::function<int(const Piece& from, const Piece& to)>;
  // Of plain data.
  static int copy_bytes(const Piece& from, const Piece& to);

  explicit FakeNetwork(Copy copy = copy_bytes) : copy_(std::move(copy)) {}

  // While it is held nothing arrives.
  void hold(bool on);
  // The next message that is posted to be sent, or received, fails, or arrives as an error.
  enum class Fails { none, send, receive, arrival };
  void fail_next(Fails how, int error);
  // That have been sent.
  [[nodiscard]] long messages() const;
  // As if another rank waited, or none did.
  void set_awaited(bool on) { awaited_ = on; }
  // From now on ranks of MPI_COMM_WORLD wake each other, by these; of at most so many ranks.
  static constexpr std::size_t kDoorbells = 8;
  void set_doorbells() { has_doorbells_ = true; }
  [[nodiscard]] Doorbell& doorbell(int rank) {
    return doorbells_.at(static_cast<std::size_t>(rank));
  }

 private:
  friend class FakeTransport;
  struct End {
    Piece data;
    Transport::Token token;
    class FakeTransport* by = nullptr;
  };
  // Messages of one tag from rank to rank of a group, and who waits for them.
  struct Queue {
    std::deque<End> sends;
    std::deque<End> receives;
  };
  struct Key {
    std::uintptr_t group = 0;
    int from = 0;
    int to = 0;
    int tag = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  int failure(Fails how);
  void deliver(Queue& queue);

  mutable std::mutex mutex_;
  Copy copy_;
  std::map<Key, Queue> queues_;
  std::uintptr_t groups_ = 0;
  bool held_ = false;
  long messages_ = 0;
  std::atomic<bool> awaited_{true};
  std::atomic<bool> has_doorbells_{false};
  std::array<Doorbell, kDoorbells> doorbells_;
  Fails fails_ = Fails::none;
  int error_ = 0;
};

class FakeTransport final : public Transport {
 public:
  // Is there a way between these two ranks of a group, the same both ways?
  using Reaches = std::function<bool(int rank, int other)>;

  FakeTransport(std::shared_ptr<FakeNetwork> network, Reaches reaches, bool calls_nothing = false)
      : network_(std::move(network)), reaches_(std::move(reaches)), calls_nothing_(calls_nothing) {}

  [[nodiscard]] Joined join(const Group& group) override;
  void leave(Opaque group) override { here_.erase(group.bits); }
  int post_send(const Piece& data, const Endpoint& to, Token token) override;
  int post_recv(const Piece& data, const Endpoint& from, Token token) override;
  [[nodiscard]] bool idle() const override;
  const std::vector<Completed>& poll() override;
  [[nodiscard]] std::vector<Token> in_flight() const override;
  void cancel_receives(const void* owner) override;
  [[nodiscard]] bool is_awaited() const override { return network_->awaited_; }
  [[nodiscard]] Doorbell* doorbell() override;
  void ring_others() override;
  [[nodiscard]] bool calls_nothing() const override { return calls_nothing_; }
  [[nodiscard]] bool stays_on_host() const override { return true; }

  // Groups it is in.
  [[nodiscard]] std::size_t groups() const { return here_.size(); }
  [[nodiscard]] long polls() const { return polls_; }

 private:
  friend class FakeNetwork;
  int post(const FakeNetwork::Key& key, bool sends, const Piece& data, Token token);
  void complete(Token token, int error);  // under the network's lock

  std::shared_ptr<FakeNetwork> network_;
  Reaches reaches_;
  bool calls_nothing_;
  std::map<std::uintptr_t, int> here_;  // this rank's number in each group
  std::vector<Token> in_flight_;
  std::vector<Completed> arrived_;
  std::vector<Completed> completed_;
  std::atomic<long> polls_{0};
};

}  // namespace stretto
