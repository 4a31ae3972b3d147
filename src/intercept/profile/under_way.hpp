// Requests that are under way: how long the program computes before it has to wait for them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "mpi/native.hpp"

namespace stretto::intercept::profile {

// What a call does with requests of the program's.
enum class RequestEffect : std::uint8_t {
  none,
  starts,
  starts_again,  // MPI_Start: the handle is the request's own until it is freed
  completes,
  polls,  // a test of what is not complete
  frees,
};

struct AffectedRequests {
  RequestEffect effect = RequestEffect::none;
  std::span<const MPI_Request> requests;  // handles as they were while they stood for them
};

// What became of the requests that were started at one place; times in ns. Computing is time
// outside of MPI calls. What several requests share, a wait or computing, each has its part of.
struct Overlap {
  std::int64_t started = 0;
  std::int64_t completed = 0;
  double computed = 0;  // between the end of the call that started it and the one that completed it
  double waited = 0;    // in calls that tested, waited for and completed it
  double hideable = 0;  // of that, no more than the same request had computing
};

class UnderWay {
 public:
  // A call of this rank's begins; what was between it and the one before was computing.
  void begin(std::int64_t enter);
  // The same call has ended, of the call site `call_site`.
  void end(const AffectedRequests& affected, int call_site, std::int64_t enter, std::int64_t leave);

  // Of a call site; nothing where none started there.
  [[nodiscard]] Overlap at(int call_site) const;

 private:
  struct Request {
    int call_site = 0;
    double shared = 0;  // when it was started
    double waited = 0;
  };
  // MPICH has one handle for all sends that were complete as they started: none of those can be
  // distinguished from another.
  using Requests = std::unordered_multimap<MPI_Request, Request>;

  void start(MPI_Request handle, int call_site);
  void complete(std::span<const MPI_Request> handles, double time);
  void poll(std::span<const MPI_Request> handles, double time);

  static constexpr std::size_t kMost = std::size_t{1} << 17;  // beyond them none is followed

  Requests requests_;
  std::vector<Overlap> overlaps_;  // by call site
  std::vector<Request> completed_;
  std::int64_t last_leave_ = 0;
  double shared_ = 0;  // computing so far, divided by how many requests were under way
  std::size_t turn_ = 0;
};

}  // namespace stretto::intercept::profile
