#include <cctype>
#include <string>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/rank_context.hpp"
#include "selection/selection.hpp"

namespace stretto {
namespace {

std::string variable_of(Collective collective) {
  std::string name = "STRETTO_SELECTION_";
  for (const char letter : name_of(collective)) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

std::string known_names(Collective collective) {
  std::string names = "native";
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->collective == collective) names.append(", ").append(algorithm->name);
  }
  return names;
}

Overrides read_overrides() {
  Overrides overrides;
  for (int c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    const std::string variable = variable_of(collective);
    const std::optional<std::string> value = setting(variable.c_str());
    if (!value) continue;
    Forced& forced = overrides[static_cast<std::size_t>(c)];
    forced.native = *value == "native";
    forced.algorithm = find_algorithm(collective, *value);
    if (!forced.native && forced.algorithm == nullptr) {
      refuse(2, "%s=%s is no algorithm; known: %s", variable.c_str(), value->c_str(),
             known_names(collective).c_str());
    }
  }
  return overrides;
}

struct ReadOverrides {
  const Overrides overrides = read_overrides();
};

}  // namespace

bool never_native() {
  const std::string value = setting("STRETTO_SELECTION").value_or("automatic");
  if (value != "automatic" && value != "stretto") {
    refuse(2, "STRETTO_SELECTION=%s is neither automatic nor stretto", value.c_str());
  }
  return value == "stretto";
}

Learns learn_setting() {
  const std::string value = setting("STRETTO_LEARN").value_or("on");
  if (value == "on") return Learns::on;
  if (value == "all") return Learns::all;
  if (value == "off") return Learns::off;
  refuse(2, "STRETTO_LEARN=%s is none of on, off and all", value.c_str());
}

const Overrides& overrides() { return of_rank<ReadOverrides>().overrides; }

}  // namespace stretto
