#include "api/persistent.hpp"

#include "base/log.hpp"

namespace stretto {

std::unique_ptr<Persistent> Persistent::make(const Call& call, const Decision& decision) {
  Task task = task_for(call, decision);
  auto tags = Engine::get().keep_tags(task);
  if (!tags) {
    say("a communicator has had more persistent collectives than this MPI has tags for");
    return nullptr;
  }
  task.tags = std::move(*tags);
  return std::unique_ptr<Persistent>(new Persistent(std::move(task)));
}

}  // namespace stretto
