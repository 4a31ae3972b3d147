// What the fake MPI knows: each rank's objects, and what lies between ranks. All under one lock.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fake_mpi/handles.hpp"
#include "fake_mpi/job.hpp"
#include "fake_mpi/types.hpp"

namespace fake_mpi {

class Entered;

struct Errhandler {
  MPI_Errhandler named = MPI_ERRHANDLER_NULL;  // of a predefined one
  MPI_Comm_errhandler_function* function = nullptr;
};

struct Op {
  MPI_Op named = MPI_OP_NULL;  // likewise
  MPI_User_function* function = nullptr;
  bool commutative = true;
};

struct Keyval {
  MPI_Comm_copy_attr_function* copy = nullptr;
  MPI_Comm_delete_attr_function* gone = nullptr;
  void* extra = nullptr;
  bool freed = false;  // but attributes may still be of it
};

// Ranks by their number in the job.
struct Group {
  std::vector<int> ranks;
};

// A collective call in which all ranks of a communicator take part.
struct Meeting {
  std::string what;
  std::vector<std::shared_ptr<void>> given;  // by each, those of the first group first
  int come = 0;
  bool over = false;
};

// What the ranks of a communicator have in common.
struct Context {
  std::array<std::vector<int>, 2> groups;  // the second one's: of an intercommunicator
  bool is_inter = false;
  std::map<long, std::shared_ptr<Meeting>> meetings{};  // under way

  [[nodiscard]] std::size_t ranks() const { return groups[0].size() + groups[1].size(); }
};

struct Topology {
  int kind = MPI_UNDEFINED;
  std::vector<int> dimensions{}, periods{};    // of a grid
  std::vector<int> sources{}, destinations{};  // of this rank
};

struct Comm {
  std::shared_ptr<Context> context;
  int side = 0;  // which group this rank is in
  int rank = 0;  // and where
  long met = 0;
  std::shared_ptr<Errhandler> handler{};  // that it was given, or has from the one it was copied of
  struct Attribute {
    int keyval = MPI_KEYVAL_INVALID;
    std::shared_ptr<Keyval> kind;
    void* value = nullptr;
  };
  std::vector<Attribute> attributes{};
  std::optional<Topology> topology{};

  [[nodiscard]] const std::vector<int>& own() const {
    return context->groups[static_cast<std::size_t>(side)];
  }
  // Whom messages go to.
  [[nodiscard]] int other_side() const { return context->is_inter ? 1 - side : side; }
  [[nodiscard]] const std::vector<int>& others() const {
    return context->groups[static_cast<std::size_t>(other_side())];
  }
  // Among all ranks of a meeting.
  [[nodiscard]] std::size_t place() const {
    return (side == 0 ? 0 : context->groups[0].size()) + static_cast<std::size_t>(rank);
  }
};
using CommPointer = std::shared_ptr<Comm>;

struct Request {
  enum class Kind { send, receive, generalized, collective };
  Kind kind = Kind::send;
  MPI_Comm comm = MPI_COMM_SELF;  // whose error handler hears of a failure
  bool persistent = false;
  bool active = true;
  bool complete = false;
  bool cancelled = false;
  bool freed = false;  // of a generalized one: before it was complete
  int error = MPI_SUCCESS;
  MPI_Status status{};
  // A receive's.
  std::shared_ptr<Context> context{};
  int from_side = 0;
  int source = 0;
  int tag = 0;
  void* buffer = nullptr;
  MPI_Count count = 0;
  TypePointer type{};
  // Begins a persistent one, under the lock.
  std::function<void(Entered&, const std::shared_ptr<Request>&)> begin{};
  // A generalized one's.
  MPI_Grequest_query_function* query = nullptr;
  MPI_Grequest_free_function* gone = nullptr;
  void* state = nullptr;
};
using RequestPointer = std::shared_ptr<Request>;

struct Message {
  std::shared_ptr<Context> context;
  int side = 0;    // of whom sent it
  int source = 0;  // in its group
  Envelope envelope;
  MPI_Count length = 0;
  int error = MPI_SUCCESS;  // it never was on its way
  Packed packed{};          // of one that is sent at once; others are read when they are received:
  const void* buffer = nullptr;
  MPI_Count count = 0;
  TypePointer type{};
  RequestPointer sender{};
};

struct Failure {
  std::string function;
  long first = 0;
  long last = 0;
  int error = MPI_SUCCESS;
};

struct Rank {
  Rank(State& of, int job_number);

  State& job;
  const int number;
  bool initialized = false;
  bool finalized = false;
  int level = MPI_THREAD_SINGLE;
  bool takes_locks = false;
  MPI_Comm parent = MPI_COMM_NULL;
  Handles<Comm> comms;
  Handles<Group> groups;
  Handles<const Type> types;
  Handles<Op> ops;
  Handles<Errhandler> handlers;
  Handles<Keyval> keyvals;
  Handles<Request> requests;
  Handles<Message> messages;
  std::deque<std::shared_ptr<Message>> arrived;  // and not matched
  std::deque<RequestPointer> posted;
  std::map<std::string, long> calls;
  std::vector<Failure> failures;
  std::vector<Report> reports;
  std::string last_call;
  std::thread::id thread;  // that runs it
  std::map<std::thread::id, int> inside;
};

struct State {
  State(int ranks, const Options& chosen);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Options options;
  int first_world = 0;  // how many ranks are in the first world
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<Rank>> ranks;
  std::atomic<int> contexts{0};  // in use
  std::vector<std::weak_ptr<Context>> made;
  std::function<bool(const Envelope&)> holds;
  std::deque<std::function<void()>> held;
  std::vector<std::string> misuse;
  std::map<std::string, std::chrono::microseconds, std::less<>> delays;  // by function
};

// nullptr where no more can be alive.
[[nodiscard]] std::shared_ptr<Context> make_context(State& job,
                                                    std::array<std::vector<int>, 2> groups,
                                                    bool is_inter = false);

// Which rank of which job a RankContext is.
struct Here {
  Rank* rank = nullptr;
};

}  // namespace fake_mpi
