#include "intercept/profile/event_log.hpp"

#include <atomic>

namespace stretto::intercept::profile {

std::int32_t thread_number() {
  static std::atomic<std::int32_t> threads{0};
  constinit thread_local std::int32_t mine [[gnu::tls_model("initial-exec")]] = -1;
  if (mine < 0) mine = threads++;
  return mine;
}

}  // namespace stretto::intercept::profile
