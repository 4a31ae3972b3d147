// Messages to people, of parts.
#pragma once

#include <sstream>
#include <string>

namespace stretto {

// Everything that a stream takes, one after the other.
template <class... Parts>
[[nodiscard]] std::string words(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace stretto
