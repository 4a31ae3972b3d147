// Simulates one collective: the library's own schedules on a machine.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "collectives/algorithm.hpp"
#include "model/simulation.hpp"

namespace stretto::model {

enum class Path : std::uint8_t {
  any,     // the vector path where it can, else the event engine: the answer is the same
  events,  // the event engine
  rounds,  // the vector path; throws Unsuited where it cannot
};

struct Question {
  const Algorithm* algorithm = nullptr;
  Shape shape{};
  std::int64_t element_bytes = 1;
  std::int64_t signal_bytes = 0;  // what a message of no elements carries
  Path path = Path::any;
};

struct Answer {
  Outcome outcome{};
  Path path = Path::any;  // taken
  double build_s = 0;     // building the schedules and reading them
  double run_s = 0;       // the simulation itself
};

// Cannot be simulated this way; its text says why.
struct Unsuited : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] Answer simulate(const Question& question, const Machine& machine,
                              const Conditions& conditions);

}  // namespace stretto::model
