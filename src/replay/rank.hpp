// One rank that is replayed.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/inbox.hpp"
#include "model/rank_time.hpp"
#include "replay/groups.hpp"
#include "replay/replay.hpp"

namespace stretto::replay {

struct Message {
  int sender = 0;
  std::int64_t bytes = 0;
  std::vector<double> times{};  // when it arrives, by scenario
  double begun = 0;             // of a neighbourhood collective: its sender's clock then
  Collective collective{};      // the same
};

// A collective that is open: of which communicator, and its number there.
using OpenCollectiveKey = std::pair<ReplayedGroup*, std::int64_t>;

class RankReplay;

// Who a rank has to do with.
class World {
 public:
  World(const std::vector<std::unique_ptr<RankReplay>>& ranks, std::deque<int>& ready)
      : ranks_(ranks), ready_(ready) {}

  // Throws Unmatched where more are under way than can be.
  void send(int to, Message message);
  void send(int to, const OpenCollectiveKey& collective, Message message);
  void took() { --under_way_; }
  // What a rank waits for may have come.
  void wake(int rank);

 private:
  void count();

  const std::vector<std::unique_ptr<RankReplay>>& ranks_;
  std::deque<int>& ready_;
  std::int64_t under_way_ = 0;
};

class RankReplay {
 public:
  RankReplay(const Part& part, int rank, const std::vector<model::Scenario>& scenarios,
             const std::vector<std::vector<Rank>>& places, ReplayedGroups& groups);

  // From now on, where its time goes.
  void sort_into(RankSections& sections) { sections_ = &sections; }
  // Goes on until it waits, or is done.
  void run(World& world);
  // Throws Unmatched where it waits.
  void require_end() const;
  [[nodiscard]] Replayed result() const;

 private:
  friend class World;

  // A collective that was begun.
  struct Open : model::OpenCollective {
    OpenCollectiveKey key{};
    std::size_t from = 0;  // of a neighbourhood collective, how many messages it gets
  };

  // False where it has to wait.
  [[nodiscard]] bool perform(const trace::Op& op, World& world);
  [[nodiscard]] bool receive(const trace::Op& op, World& world);
  [[nodiscard]] bool probe(const trace::Op& op, World& world);
  void begin(const trace::Op& op, World& world);
  void begin_exchange(const trace::Op& op, Open& open, World& world);
  [[nodiscard]] bool finish(const trace::Op& op, World& world);
  [[nodiscard]] bool finish_exchange(const Open& open, World& world);
  // The message, or nullptr where it has not come.
  [[nodiscard]] Message* find(const trace::Taken& taken);
  [[nodiscard]] Message take(const trace::Taken& taken);
  [[noreturn]] void fail(const std::string& what) const;
  double duration();

  const Part& part_;
  int rank_;
  model::RankTime time_;
  std::vector<double> arrivals_;  // of a message that is sent
  trace::Cursor cursor_;
  trace::Unpacker durations_;
  const trace::Op* waiting_ = nullptr;  // the one it cannot do yet
  bool is_ready_ = true;                // runs, or will
  bool is_done_ = false;
  RankSections* sections_ = nullptr;
  std::unordered_map<int, std::deque<Message>> came_;   // by sender
  model::Inbox<OpenCollectiveKey, Message> exchanged_;  // in neighbourhood collectives
  std::vector<Message> taken_;                          // of the receive it is in
  std::map<int, Message> kept_;                         // by slot
  std::map<int, Open> open_;                            // by slot
  struct Membership {
    ReplayedGroup* group = nullptr;
    std::map<int, std::int64_t> begun{};  // by series
  };
  std::vector<Membership> comms_;
};

}  // namespace stretto::replay
