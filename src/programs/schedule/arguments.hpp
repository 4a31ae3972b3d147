// What the user asked stretto-schedule for.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/algorithm.hpp"
#include "programs/bad_input.hpp"

namespace stretto::programs {

// Splits "VERB [COLLECTIVE] --option value --flag" and hands out the options by name.
class Arguments {
 public:
  Arguments(int argc, char** argv);

  [[nodiscard]] std::string_view verb() const { return verb_; }
  [[nodiscard]] bool wants_help() const { return help_; }
  [[nodiscard]] std::optional<Collective> collective() const;
  [[nodiscard]] std::optional<std::string_view> text(std::string_view option);
  [[nodiscard]] std::optional<Count> number(std::string_view option, Count least,
                                            Count most = std::numeric_limits<Count>::max());
  [[nodiscard]] bool flag(std::string_view option);
  // Throws for what none of the calls above asked for: it does not apply to `subject`.
  void reject_others(std::string_view subject) const;

 private:
  struct Word {
    std::string_view text;
    bool used = false;
  };
  [[nodiscard]] Word* find(std::string_view option);

  std::string_view verb_;
  std::string_view collective_;
  std::vector<Word> words_;
  bool help_ = false;
};

// An algorithm and what to build it for, as `show` and `cost` take them.
struct Request {
  const Algorithm* algorithm = nullptr;
  Shape shape;
  Layout layout{};  // none without --layout
};
// Rejects what is left: other options are to be read before.
[[nodiscard]] Request read_request(Arguments& arguments, Count most_ranks);
// With a layout, which a simulation has from its machine.
[[nodiscard]] Request read_request_with_layout(Arguments& arguments, Count most_ranks);

[[nodiscard]] const Algorithm& known_algorithm(Collective collective, std::string_view name);

}  // namespace stretto::programs
