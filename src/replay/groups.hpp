// The communicators of what is replayed, and the collectives that are open on them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/group_times.hpp"
#include "replay/replay.hpp"

namespace stretto::replay {

// When one rank is done with a collective, by scenario.
struct EndsByScenario {
  std::vector<double> free{};
  std::vector<double> ends{};
};

class ReplayedGroup {
 public:
  using Members = std::shared_ptr<const std::vector<int>>;

  ReplayedGroup(Members members, model::GroupTimes times)
      : members_(std::move(members)), times_(std::move(times)) {}

  [[nodiscard]] const Members& members() const { return members_; }
  [[nodiscard]] std::size_t size() const { return members_->size(); }
  // A rank begins the `number`-th collective here; true where it is the last one to come. Throws
  // Unmatched where it begins another than the others.
  [[nodiscard]] bool arrive(int rank, std::int64_t number, const model::CollectiveCall& call,
                            std::span<const double> now);
  // Nothing until all have come. Each rank takes its answer once.
  [[nodiscard]] std::optional<EndsByScenario> take(int rank, std::int64_t number);

 private:
  struct Open {
    model::Meeting meeting{};
    std::vector<model::CollectiveEnds> ends{};  // by scenario, once all have come
    std::size_t left = 0;                       // ranks that took theirs
  };

  Members members_;
  model::GroupTimes times_;
  std::map<std::int64_t, Open> open_;
};

class ReplayedGroups {
 public:
  ReplayedGroups(const std::vector<model::Scenario>& scenarios,
                 const std::vector<std::vector<Rank>>& places)
      : scenarios_(scenarios), places_(places) {}

  // Throws Unmatched where its ranks do not agree on who they are.
  [[nodiscard]] ReplayedGroup& of(const PartComm& comm);

 private:
  const std::vector<model::Scenario>& scenarios_;
  const std::vector<std::vector<Rank>>& places_;
  std::unordered_map<std::int64_t, std::unique_ptr<ReplayedGroup>> groups_;  // by id
};

}  // namespace stretto::replay
