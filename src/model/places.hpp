// In which round each step of a rank takes place, for the vector path.
//
// That depends on what waits for what, not on who the peers are: it is worked out once for all
// ranks whose schedules differ in their peers only, and those are nearly all.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace stretto::model {

// A round of a rank is some work, then at most one send, more work, and at most one receive.
struct Place {
  std::uint32_t round = 0;
  std::uint32_t number = 0;  // of work: among that before the send, or after it
  bool after_send = false;
};

// All of a schedule's steps.
struct Places {
  std::vector<Place> steps{};
  std::uint32_t rounds = 0;
  std::vector<std::uint32_t> overtaking{};  // rounds whose receive waits for its message only
  bool fit = true;                          // false: the schedule is not round-structured
};

class KnownPlaces {
 public:
  // Valid until it is asked again.
  [[nodiscard]] const Places& of(const Schedule& schedule);

 private:
  // What a step's place depends on.
  struct Form {
    std::int32_t first_wait;
    std::int32_t waits;
    StepKind kind;
    bool joins;

    explicit Form(const Step& step);
    friend bool operator==(const Form&, const Form&) = default;
  };
  struct Known {
    std::vector<Form> steps;
    std::vector<StepId> waits;
    Places places;

    [[nodiscard]] bool are_of(const Schedule& schedule) const;
  };

  std::vector<Known> known_;
  std::size_t next_ = 0;  // to be forgotten
};

}  // namespace stretto::model
