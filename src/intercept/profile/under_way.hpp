// Requests that are under way: how long the program computes before it has to wait for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "intercept/profile/messages.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept::profile {

// What a call does with requests of the program's.
enum class RequestEffect : std::uint8_t {
  none,
  prepares,  // MPI_Send_init and its kind
  starts,
  starts_again,  // MPI_Start: the handle is the request's own until it is freed
  completes,
  polls,  // a test of what is not complete
  frees,
};

struct AffectedRequests {
  RequestEffect effect = RequestEffect::none;
  std::span<const MPI_Request> requests;  // handles as they were while they stood for them
  const MPI_Status* statuses = nullptr;   // of what it completes, if they are known

  [[nodiscard]] bool makes_one() const {
    return effect == RequestEffect::prepares || effect == RequestEffect::starts;
  }
};

// What a request that starts is for.
struct RequestUse {
  std::int64_t bytes = 0;
  BegunMessage begun;
};

// What a call completed.
struct Completed {
  int requests = 0;
  int unknown = 0;  // of them not followed
  int messages = 0;
  std::int64_t bytes = 0;
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
  explicit UnderWay(MessageRecorder& messages) : messages_(messages) {}

  // A call of this rank's begins; what was between it and the one before was computing.
  void begin(std::int64_t enter);
  // The same call has ended, of the call site `call_site`.
  // `use` is of a request that it prepares or starts.
  Completed end(const AffectedRequests& affected, int call_site, std::int64_t enter,
                std::int64_t leave, const RequestUse& use = {});
  // No more calls come.
  void close();

  // Of a call site; nothing where none started there.
  [[nodiscard]] Overlap at(int call_site) const;
  // Receives that are not complete.
  [[nodiscard]] std::size_t receives() const { return receives_; }
  // Of those, of any source or tag; to be asked at any time.
  [[nodiscard]] std::size_t open_receives() const {
    return open_receives_.load(std::memory_order_relaxed);
  }

 private:
  struct Request {
    int call_site = 0;
    double shared = 0;  // when it was started
    double waited = 0;
    RequestUse use;
  };
  // MPICH has one handle for all sends that were complete as they started: none of those can be
  // distinguished from another.
  using Requests = std::unordered_multimap<MPI_Request, Request>;

  [[nodiscard]] static bool is_sent(const Request& request);
  [[nodiscard]] static bool is_received(const Request& request);
  void start(MPI_Request handle, int call_site, const RequestUse& use);
  void start_again(std::span<const MPI_Request> handles, int call_site, std::int64_t enter);
  Completed complete(const AffectedRequests& affected, double time);
  void count_receive(const Request& request, int more);
  void take(Request& request, const MPI_Status* status);
  void leave_to_itself(Requests::iterator found);
  void free(MPI_Request handle);
  void poll(std::span<const MPI_Request> handles, double time);

  static constexpr std::size_t kMost = std::size_t{1} << 17;  // beyond them none is followed

  MessageRecorder& messages_;
  Requests requests_;
  std::unordered_map<MPI_Request, RequestUse> prepared_;  // persistent ones
  std::size_t receives_ = 0;
  std::atomic<std::size_t> open_receives_{0};
  std::int64_t order_ = 0;
  std::vector<Overlap> overlaps_;  // by call site
  std::vector<Request> completed_;
  std::int64_t last_leave_ = 0;
  double shared_ = 0;  // computing so far, divided by how many requests were under way
  std::size_t turn_ = 0;
};

}  // namespace stretto::intercept::profile
