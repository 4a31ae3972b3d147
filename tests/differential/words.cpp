#include <array>
#include <sstream>

#include "action.hpp"
#include "types.hpp"

namespace differential {
namespace {

constexpr std::array kMakings{"dup",
                              "split by parity of rank",
                              "split, reversed",
                              "split, each alone",
                              "split, all but the last",
                              "create of the first half",
                              "intercomm_create, lower half and others",
                              "intercomm_merge",
                              "cart_create",
                              "graph_create",
                              "dist_graph_create_adjacent",
                              "dist_graph_create"};

std::string comm_name(Id id) {
  if (id == kWorld) return "MPI_COMM_WORLD";
  if (id == kSelf) return "MPI_COMM_SELF";
  return "comm " + std::to_string(id);
}

std::string call_name(const Action& action) {
  const std::string name = traits(action.arguments.collective).name;
  if (action.kind == Kind::start) return "i" + name;
  return action.kind == Kind::init ? name + "_init" : name;
}

void say_call(std::ostream& out, const Action& action) {
  const Arguments& with = action.arguments;
  const Traits& about = traits(with.collective);
  out << call_name(action) << " on " << comm_name(action.comm);
  if (with.collective == Collective::barrier) return;
  out << ", " << (about.uneven ? "up to " : "") << with.count << " x "
      << (about.reduces ? reduction_name(with.op) : type_name(with.type));
  if (about.rooted) out << ", root " << with.root << " modulo size";
  if (with.in_place) out << ", in place";
  if (with.frees_early && action.kind == Kind::start) out << ", types freed while pending";
}

}  // namespace

std::string in_words(const Action& action) {
  std::ostringstream out;
  out << '#' << action.id << ": ";
  switch (action.kind) {
    case Kind::make_comm:
      out << comm_name(action.id) << " = " << kMakings[static_cast<std::size_t>(action.making)]
          << " of " << comm_name(action.comm);
      break;
    case Kind::free_comm:
      out << "free " << comm_name(action.comm);
      break;
    case Kind::complete:
      out << "complete pending requests";
      break;
    case Kind::straggle:
      out << "on " << comm_name(action.comm) << " a rank stays away until the flood is past";
      break;
    case Kind::flood:
      out << action.many << " ibcasts of an int on " << comm_name(action.comm) << ", root "
          << action.arguments.root << " modulo those who are there";
      break;
    case Kind::crowd:
      out << "make, use and free " << action.many << " communicators";
      break;
    case Kind::restart:
    case Kind::free_request:
      out << (action.kind == Kind::restart ? "start" : "free") << " the persistent";
      for (const Id request : action.requests) out << " #" << request;
      break;
    case Kind::call:
    case Kind::start:
    case Kind::init:
      say_call(out, action);
  }
  const bool waits = action.kind == Kind::straggle || action.kind == Kind::flood;
  if (action.late_rank >= 0 && waits) {
    out << " (late is rank " << action.late_rank << " modulo size)";
  } else if (action.late_rank >= 0) {
    out << " (rank " << action.late_rank << " modulo size is " << action.late_us << " us late, "
        << (action.late_computes ? "computing)" : "asleep)");
  }
  return out.str();
}

}  // namespace differential
