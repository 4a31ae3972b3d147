// A persistent collective: initialized once, started any number of times (MPI 4.1, 6.13).
#pragma once

#include <memory>

#include "api/call.hpp"

namespace stretto {

class Persistent {
 public:
  // `decision` is not native. nullptr where the MPI has no tags left for it, on all ranks alike.
  static std::unique_ptr<Persistent> make(const Call& call, const Decision& decision);
  ~Persistent() {
    // The communicator, to which the tag is given back, may go when this has let go of it.
    task_.tags.reset();
    Engine::get().let_go(task_);
  }
  Persistent(const Persistent&) = delete;
  Persistent& operator=(const Persistent&) = delete;

  // See Engine::start for who releases the operation.
  Operation* start(const Engine::Notice& notice) const {
    return Engine::get().start(task_, true, notice);
  }

 private:
  explicit Persistent(Task task) : task_(std::move(task)) { Engine::get().hold(task_); }

  Task task_;
};

}  // namespace stretto
