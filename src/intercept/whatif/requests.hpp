// The program's requests that virtual time follows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "intercept/whatif/collectives.hpp"
#include "intercept/whatif/messages.hpp"

namespace stretto::intercept::whatif {

struct Receive {
  Ticket ticket;
};
// Of a message that a matched probe had taken out.
struct MatchedReceive {
  ClockMessage message;
};
// Of what nobody models.
struct Passes {
  std::string_view function;
};
using PendingOperation = std::variant<std::monostate, Receive, MatchedReceive, Begun, Passes>;

// What MPI_Start starts: a message, or a collective.
struct PersistentOperation {
  bool sends = false;
  CommPtr comm{};
  int peer = 0;
  int tag = 0;
  std::int64_t bytes = 0;
  std::shared_ptr<Planned> collective{};
};

class Requests {
 public:
  // This rank's.
  [[nodiscard]] static Requests& get() { return of_rank<Requests>(); }

  void add(MPI_Request request, PendingOperation operation);
  void add_persistent(MPI_Request request, const PersistentOperation& what);
  // MPI_Start: before the MPI starts it, and after.
  void start(MPI_Request request);
  void started(MPI_Request request);
  // After an error: what it is doing will never be known.
  void forget(MPI_Request request);
  // MPI_Request_free.
  void remove(MPI_Request request);
  // The MPI has shown that it is complete, and will again.
  void saw_complete(MPI_Request request);
  // Is it a collective whose end is not known yet?
  [[nodiscard]] bool is_unanswered(MPI_Request request) const;

  // Those of these requests that were completed, with their statuses, all at one moment.
  using Completed = std::pair<MPI_Request, MPI_Status>;
  void complete(std::span<const Completed> completed);

 private:
  struct Entry {
    PendingOperation operation{};
    bool is_persistent = false;
    PersistentOperation persistent{};
  };
  [[nodiscard]] Entry& fresh(MPI_Request request);
  [[nodiscard]] PendingOperation take(MPI_Request request);

  using Entries = std::unordered_map<std::uintptr_t, Entry>;
  void erase(Entries::iterator entry);

  Entries entries_;
  std::vector<Entries::node_type> spare_;  // kept for their memory
};

}  // namespace stretto::intercept::whatif
