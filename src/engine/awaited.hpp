// What a thread waits for.
#pragma once

#include <utility>

#include "base/rank_context.hpp"
#include "engine/operation.hpp"

namespace stretto {

// The operations that a thread waits for, or asks about. It alone, or the progress thread, runs
// functions of the program's for them: another may hold a lock of the program's that such a
// function needs.
class Awaited {
 public:
  Awaited() : before_(std::exchange(this_thread.awaited, this)) {}
  virtual ~Awaited() { this_thread.awaited = before_; }
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  [[nodiscard]] virtual bool has(const Operation& operation) const = 0;

 private:
  const Awaited* before_;  // of this thread
};

class AwaitedAll : public Awaited {
 public:
  [[nodiscard]] bool has(const Operation& /*operation*/) const override { return true; }
};

}  // namespace stretto
