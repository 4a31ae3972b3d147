#include "base/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace stretto {
namespace {

void write_line(const char* format, std::va_list arguments) {
  std::array<char, 1024> line{};
  constexpr std::size_t kRoom = line.size() - 1;  // for the newline
  const int prefix = std::snprintf(line.data(), kRoom, "stretto: ");
  const int text = std::vsnprintf(line.data() + prefix, kRoom - static_cast<std::size_t>(prefix),
                                  format, arguments);
  const std::size_t length =
      std::min(static_cast<std::size_t>(prefix + std::max(text, 0)), kRoom - 1);
  line[length] = '\n';
  // Nothing sensible is left to do where stderr is closed.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), length + 1);
}

}  // namespace

void say(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void refuse(int status, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
  ::_exit(status);
}

}  // namespace stretto
