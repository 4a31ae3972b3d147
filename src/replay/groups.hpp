// The communicators of what is replayed, and the collectives that are open on them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/group_times.hpp"
#include "trace/trace.hpp"

namespace stretto::replay {

// When one rank is done with a collective, by scenario.
struct Ends {
  std::vector<double> free{};
  std::vector<double> ends{};
};

class Group {
 public:
  Group(std::vector<int> members, std::unique_ptr<model::GroupTimes> times)
      : members_(std::move(members)), times_(std::move(times)) {}

  [[nodiscard]] const std::vector<int>& members() const { return members_; }
  // A member begins its `number`-th collective here; true where it is the last one to come.
  [[nodiscard]] bool arrive(std::size_t member, std::int64_t number,
                            const model::CollectiveCall& call, std::span<const double> now);
  // Nothing until all have come. Each member takes its answer once.
  [[nodiscard]] std::optional<Ends> take(std::size_t member, std::int64_t number);

 private:
  struct Meeting {
    explicit Meeting(std::size_t members) : calls(members), times(members) {}
    std::vector<model::CollectiveCall> calls;
    std::vector<std::vector<double>> times;
    std::size_t first = 0;  // to come
    std::size_t come = 0;
    std::size_t left = 0;
    std::vector<model::CollectiveEnds> ends{};  // by scenario
  };

  std::vector<int> members_;
  std::unique_ptr<model::GroupTimes> times_;
  std::map<std::int64_t, Meeting> meetings_;
};

class Groups {
 public:
  Groups(const std::vector<model::Scenario>& scenarios,
         const std::vector<std::vector<Rank>>& places)
      : scenarios_(scenarios), places_(places) {}

  // Throws Unmatched where its ranks do not agree on who they are.
  [[nodiscard]] Group& of(const trace::Comm& comm);

 private:
  const std::vector<model::Scenario>& scenarios_;
  const std::vector<std::vector<Rank>>& places_;
  std::unordered_map<std::int64_t, std::unique_ptr<Group>> groups_;  // by id
};

}  // namespace stretto::replay
