#include "engine/ready_calls.hpp"

#include <utility>

#include "engine/operation.hpp"

namespace stretto {

// What is under way may be after the communicator: its request is the program's still.
ReadyCalls::~ReadyCalls() {
  for (const ReadyCall& call : calls_) {
    if (call.operation != nullptr && call.operation->rests()) delete call.operation;
  }
}

Operation* ReadyCalls::find(const CallKey& key) {
  const std::size_t first = first_place(key);
  for (std::size_t i = 0; i < kWays; ++i) {
    ReadyCall& call = calls_[(first + i) % kCalls];
    if (call.operation == nullptr || !(call.key == key) || !call.operation->rests()) continue;
    call.is_used = true;
    return call.operation;
  }
  return nullptr;
}

void ReadyCalls::keep(const CallKey& key, Operation& operation) {
  const std::size_t first = first_place(key);
  for (std::size_t i = 0; i < kWays; ++i) {
    ReadyCall& call = calls_[(first + i) % kCalls];
    const bool was_used = std::exchange(call.is_used, false);
    if (call.operation != nullptr && (was_used || !call.operation->rests())) continue;
    delete call.operation;
    call = {.key = key, .operation = &operation};
    operation.keep();
    return;
  }
}

}  // namespace stretto
