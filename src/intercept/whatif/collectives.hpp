// Virtual time of the program's collectives. Each rank sends its communicator's first rank its
// clock when it begins, and gets the ends. Few ranks on cores of their own all send each other
// theirs: those of the others have come when the MPI's own call is over, and nobody waits twice.
// Those of neighbours are neighbor_exchanges.hpp's.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/spare_map.hpp"
#include "intercept/whatif/neighbor_exchanges.hpp"
#include "mpi/call.hpp"

namespace stretto::intercept::whatif {

class Collectives {
 public:
  // This rank's.
  [[nodiscard]] static Collectives& get() { return of_rank<Collectives>(); }

  void open();

  // What there is to know before it begins. Of a persistent one that is all that its arguments are
  // needed for; all ranks of the communicator initialize them in one order.
  [[nodiscard]] static Planned plan(const CommPtr& comm, const Call& call, const char* function,
                                    void* caller);
  // This rank has come to it.
  [[nodiscard]] Begun begin(Planned& planned);
  // Waits until all ranks have come, and then lets the clocks show the end.
  void finish(const Begun& begun, bool nonblocking);
  // All ranks wait for the last one, and what their call takes from then on nobody models.
  void meet(const CommPtr& comm, const char* function, void* caller);
  // They have left the MPI's call, where they were for so long: what it took whoever waited least,
  // and what is made of the communicator is called, where something is.
  struct Left {
    float took_ns = 0;
    std::int64_t name = 0;
  };
  [[nodiscard]] Left leave(const CommPtr& comm, float took_ns, bool names);
  // MPI_Comm_idup is over, but for its request: the program may use what it has made. Its end must
  // be known.
  void attach_duplicate(Begun& begun);
  // The end is known. Only with the mutex held, as the next one.
  [[nodiscard]] bool is_answered(const Begun& begun) const {
    if (begun.open.exchange) return exchanges_.is_over(begun);
    return answers_.contains(begun.key());
  }
  // Other ranks wait, or may come to wait, for what this rank has to work out.
  [[nodiscard]] bool has_open() const { return awaited_ > 0; }

 private:
  // What has come of a collective that this rank works out.
  struct Gathered {
    CommPtr comm{};  // once this rank has come: others may before it
    model::Meeting meeting{};
    float took_ns = 0;      // the least
    bool together = false;  // each of its ranks works it out
  };

  void read(const ClockMessage& message);
  void arrived(const ClockMessage& message);
  void work_out(const Gathered& gathered, std::int64_t number);
  [[nodiscard]] ClockMessage answer(const Begun& begun);
  void expect(const Planned& planned, std::int64_t number);
  void arrive(const Planned& planned, std::int64_t number);

  int awaited_ = 0;  // how many are to be worked out here for other ranks, too
  SpareMap<CollectiveKey, Gathered> gathered_;
  SpareMap<CollectiveKey, ClockMessage> answers_;
  std::map<CollectiveKey, std::int64_t> names_;  // of communicators that MPI_Comm_idup makes
  NeighborExchanges exchanges_;
};

}  // namespace stretto::intercept::whatif
