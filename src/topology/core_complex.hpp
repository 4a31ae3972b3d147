// Core complexes, cores that share a last-level cache (on AMD EPYC a CCX), and sockets, as the
// kernel says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "topology/core_set.hpp"

namespace stretto {

inline constexpr int kNoComplex = -1;

// A list as the kernel writes it, "0-3,8-11"; nothing where the text is something else.
[[nodiscard]] std::optional<CoreSet> read_cpu_list(std::string_view text);

// The complex that has all of these cores, named by its lowest core. kNoComplex where they are of
// several, or where the tree (of which /sys is the usual root) does not say.
[[nodiscard]] int core_complex_of(const CoreSet& cores, const std::string& sysfs);
// The same of sockets.
[[nodiscard]] int socket_of(const CoreSet& cores, const std::string& sysfs);

}  // namespace stretto
