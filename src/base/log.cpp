#include "base/log.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>

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

// A launcher may drop what it has not read when it finds a rank gone, as Hydra does.
void wait_for_reader() {
  constexpr int kMost = 200;
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 10'000'000};
  struct stat about{};
  if (::fstat(STDERR_FILENO, &about) != 0 || !S_ISFIFO(about.st_mode)) return;
  int unread = 1;
  for (int i = 0; i < kMost && unread > 0; ++i) {
    if (::ioctl(STDERR_FILENO, FIONREAD, &unread) != 0) return;
    ::nanosleep(&kPause, nullptr);
  }
  // It is to be passed on, too, by two processes that may have to wait for a core.
  constexpr timespec kWay{.tv_sec = 0, .tv_nsec = 200'000'000};
  ::nanosleep(&kWay, nullptr);
}

void write_last_line(const char* format, std::va_list arguments) {
  write_line(format, arguments);
  wait_for_reader();
}

}  // namespace

void say(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void say_last(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_last_line(format, arguments);
  va_end(arguments);
}

void refuse(int status, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  write_last_line(format, arguments);
  va_end(arguments);
  ::_exit(status);
}

}  // namespace stretto
