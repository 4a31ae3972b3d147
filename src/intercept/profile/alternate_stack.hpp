// A stack for the handlers of signals, on which a thread can still say that its own is used up.
#pragma once

#include <pthread.h>

namespace stretto::intercept::profile {

class AlternateStack {
 public:
  // For the thread that calls, unless it has one already, as of the program or a sanitizer.
  void set();
  // By that thread: it has none any more, unless another has been set meanwhile.
  void unset();

 private:
  pthread_t thread_{};
  void* memory_ = nullptr;  // with a page below the stack that nobody may touch
};

}  // namespace stretto::intercept::profile
