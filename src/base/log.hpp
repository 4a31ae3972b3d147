// One line to the user, on stderr. Preloaded libraries carry no logging framework.
#pragma once

namespace stretto {

// Prints "stretto: <message>\n" in a single write, so that ranks do not interleave.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

// `say`, then time for launchers to pass it on: before what ends the job.
[[gnu::format(printf, 1, 2)]] void say_last(const char* format, ...);

// `say_last`, then _exit(status): for settings no run can honour. Exit codes as documented
// in docs/cli.md (2: bad input, 5: unusable environment).
[[noreturn, gnu::format(printf, 2, 3)]] void refuse(int status, const char* format, ...);

}  // namespace stretto
