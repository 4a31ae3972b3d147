// Virtual time of the program's collectives: a communicator's first rank is told when each rank
// begins, and tells each when it ends.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "api/call.hpp"
#include "intercept/whatif/process.hpp"

namespace stretto::intercept::whatif {

// One that this rank has begun.
struct Begun {
  CommPtr comm{};
  std::int64_t number = 0;
  SiteKey site{};
  int in_timeline = 0;
  std::int64_t bytes = 0;
};

class Collectives {
 public:
  static Collectives& get();

  void open();

  // This rank has come to it.
  [[nodiscard]] Begun begin(const CommPtr& comm, const Call& call, const char* function,
                            void* caller);
  // Waits until all ranks have come, and then lets the clocks show the end.
  void finish(const Begun& begun, bool nonblocking);
  // The end is known. Only with the mutex held, as the next one.
  [[nodiscard]] bool is_answered(const Begun& begun) const {
    return answers_.contains({begun.comm->id, begun.number});
  }
  // Other ranks wait, or may come to wait, for what this rank has to work out.
  [[nodiscard]] bool has_open() const { return !worked_out_here_.empty(); }

 private:
  // What has come of a collective that this rank works out.
  struct Gathered {
    std::vector<Letter> letters{};
    int missing = 0;
  };
  using Key = std::pair<std::int64_t, std::int64_t>;  // communicator, number

  void read(const Letter& letter);
  void arrived(const Letter& letter);
  void work_out(Comm& comm, const Gathered& gathered);
  [[nodiscard]] Letter answer(const Begun& begun);

  std::map<std::int64_t, CommPtr> worked_out_here_;  // as long as collectives of theirs are open
  std::map<Key, Gathered> gathered_;
  std::map<Key, Letter> answers_;
};

}  // namespace stretto::intercept::whatif
