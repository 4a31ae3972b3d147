// Times one call, from construction to destruction.
#pragma once

#include "base/clock.hpp"
#include "intercept/calls/traffic.hpp"
#include "intercept/entry.hpp"
#include "intercept/profile/recorder.hpp"

namespace stretto::intercept::profile {

class Timed {
 public:
  Timed(int function, void* caller, MPI_Comm comm, Traffic traffic = {})
      : record_{.function = function,
                .caller = caller,
                .comm = Recorder::get().index_of(comm),
                .bytes = traffic.bytes,
                .root = traffic.root,
                .enter = now_ns()} {}
  ~Timed() {
    record_.leave = now_ns();
    Recorder::get().add(record_);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Record record_;
};

}  // namespace stretto::intercept::profile
