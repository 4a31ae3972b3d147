// Settings: environment variables STRETTO_<AREA>_<KNOB>, read once where they are
// used. `stretto run` turns its flags into these variables, so a flag wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stretto {

// The variable's value, or nothing where it is unset or empty.
[[nodiscard]] std::optional<std::string> setting(const char* name);

// From now on only this process knows it: the programs it starts do not inherit it. Where it is
// unset that changes nothing.
void take_from_environment(const char* name);

// A switch: 1/on/true/yes and 0/off/false/no; anything else stops the program with
// one line and exit code 2.
[[nodiscard]] std::optional<bool> switch_setting(const char* name);

// A whole number >= minimum; anything else stops the program likewise.
[[nodiscard]] std::optional<long> number_setting(const char* name, long minimum);

}  // namespace stretto
