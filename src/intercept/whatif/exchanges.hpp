// Virtual time of neighbourhood collectives. A rank knows its own neighbours alone, and what they
// wait for is each other: so clocks go from neighbour to neighbour, a letter with each block.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "api/call.hpp"
#include "intercept/whatif/process.hpp"
#include "model/rank_clocks.hpp"
#include "trace/op.hpp"

namespace stretto::intercept::whatif {

// A collective that this rank may begin.
struct Planned {
  CommPtr comm{};
  SiteKey site{};
  trace::Op op{};          // what is written down, but for its slot and its site
  bool names = false;      // what is made of it: the communicator's first rank names the new one
  float took_ns = 0;       // Letter::took_ns
  std::int64_t turns = 0;  // of a persistent one: how often it was started

  // All its ranks tell each other, and none waits for another's answer.
  [[nodiscard]] bool together() const { return comm->together && !names; }
};

// One that it has begun.
struct Begun {
  CommPtr comm{};
  std::int64_t number = 0;
  SiteKey site{};
  int in_timeline = 0;
  std::int64_t bytes = 0;
  bool meets = false;                       // ends when the last one has come
  MPI_Comm duplicate = native().comm_null;  // what MPI_Comm_idup makes
  // Of a neighbourhood collective, and how many letters it takes.
  std::shared_ptr<const model::Exchange> exchange{};
  std::size_t from = 0;
};

// A collective that is open: its communicator, and Begun::number.
using Key = std::pair<std::int64_t, std::int64_t>;

// What a neighbourhood collective sends and gets.
void plan_exchange(const Call& call, Planned& planned);

class Exchanges {
 public:
  // All but finish only with the mutex held.
  void begin(const Planned& planned, Begun& begun);
  void came(const Letter& letter);
  [[nodiscard]] bool is_over(const Begun& begun) const;
  // Waits for the neighbours' letters.
  void finish(const Begun& begun);

 private:
  [[nodiscard]] std::vector<Letter> take(const Begun& begun);

  std::map<Key, std::vector<Letter>> came_;
};

}  // namespace stretto::intercept::whatif
