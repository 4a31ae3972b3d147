// What one rank's calls amount to, by call site and communicator, and when it entered and left
// each collective: from that of all ranks follows who waited for whom.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/rank_context.hpp"
#include "intercept/profile/event_log.hpp"
#include "intercept/profile/functions.hpp"
#include "intercept/profile/messages.hpp"
#include "intercept/profile/under_way.hpp"
#include "intercept/shared/call_path.hpp"
#include "intercept/shared/python.hpp"
#include "mpi/comm_attributes.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept::profile {

inline constexpr int kNoComm = -1;

// One call.
struct Record {
  int function = 0;        // in kFunctions
  void* caller = nullptr;  // where it returns to
  int comm = kNoComm;      // index in comms()
  std::int64_t bytes = 0;
  int root = -1;
  std::int64_t enter = 0;  // CLOCK_MONOTONIC, ns
  std::int64_t leave = 0;
  // Of a call that sends and receives by itself, or of the request that it makes.
  ProfiledMessage sent{};
  ProfiledMessage received{};
};

// All calls of one function at one place on one communicator, by one path where that is asked for.
struct ProfiledCallSite {
  int function = 0;
  void* caller = nullptr;
  const PythonLine* line = nullptr;  // of the Python program that `caller` called for
  int comm = kNoComm;
  CallPath path{};  // above the call, where that is asked for
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  std::int64_t time = 0;
  std::int64_t longest = 0;
  std::array<std::int64_t, 64> sizes{};  // calls by bit width of their bytes
  std::int64_t message_time = 0;         // in calls that were for messages, and nothing else
  std::int64_t trivial_time = 0;         // of that, in those where nobody is waited for
  bool is_the_mpis = false;              // not the program's: it does not count
};

// Named alike on all its ranks, without a word between them: the ranks it has of MPI_COMM_WORLD,
// and how many communicators of just those ranks had collectives before it.
struct ProfiledComm {
  std::uint64_t members = 0;  // a hash of the ranks
  int ordinal = -1;           // until it has a collective
  int size = 0;
  int rank = 0;
  bool is_inter = false;
  bool is_folded = false;        // stands for all beyond the first thousand
  std::int64_t collectives = 0;  // so far
  std::int64_t stride = 1;       // one in so many of them is in instances()
};

// One collective of this rank's; as it lies in the file rank-N.collectives.
struct Instance {
  std::int64_t enter;
  std::int64_t leave;
  std::int64_t number;  // of the communicator's collectives
  std::int32_t comm;
  std::int32_t call_site;
  std::int32_t root;
  std::int32_t unused = 0;
};
static_assert(sizeof(Instance) == 40);

// What there is of a rank's calls.
struct Recorded {
  std::vector<ProfiledCallSite> call_sites;
  std::vector<Overlap> overlaps;  // by call site
  std::vector<ProfiledComm> comms;
  std::vector<Instance> instances;
  std::vector<int> open_sites;  // of each call that goes on; -1: the MPI's, which do not count
};

// A call that has not ended, of one thread.
class CallSlot {
 public:
  void begin(const Record& record) {
    function_.store(record.function, std::memory_order_relaxed);
    caller_.store(record.caller, std::memory_order_relaxed);
    comm_.store(record.comm, std::memory_order_relaxed);
    enter_.store(record.enter, std::memory_order_release);
  }
  void end() { enter_.store(0, std::memory_order_relaxed); }
  // `enter` is 0 where there is none. What is read while a call ends and another begins may be
  // of both.
  [[nodiscard]] Record read() const {
    const std::int64_t enter = enter_.load(std::memory_order_acquire);
    return {.function = function_.load(std::memory_order_relaxed),
            .caller = caller_.load(std::memory_order_relaxed),
            .comm = comm_.load(std::memory_order_relaxed),
            .enter = enter};
  }

 private:
  std::atomic<int> function_{0};
  std::atomic<void*> caller_{nullptr};
  std::atomic<int> comm_{kNoComm};
  std::atomic<std::int64_t> enter_{0};
};

class CallRecorder {
 public:
  // This rank's.
  [[nodiscard]] static CallRecorder& get() { return of_rank<CallRecorder>(); }

  // `traced`: of so many calls the trace has each by itself, or polls together. `depth`: so many
  // places of the stack tell call sites apart.
  void open(std::size_t traced, int depth = 1);
  void close();

  // In comms(); kNoComm for MPI_COMM_NULL.
  int index_of(MPI_Comm comm);
  void begin(const Record& record) { open_call().begin(record); }
  void add(const Record& record, const AffectedRequests& affected);

  // Of calls that go on, the time until now counts, too. Thread-safe, calls no MPI.
  [[nodiscard]] Recorded recorded(std::span<const Record> going_on = {}, std::int64_t now = 0);
  // Calls that go on, of all threads.
  [[nodiscard]] std::vector<Record> open_calls() const;
  // Is there a request of which only a status says whose message it gets?
  [[nodiscard]] bool needs_statuses() const { return under_way_.open_receives() > 0; }

  // For the report, when no more calls come.
  [[nodiscard]] const std::vector<ProfiledCallSite>& call_sites() const { return call_sites_; }
  [[nodiscard]] Overlap overlap_of(int call_site) const { return under_way_.at(call_site); }
  [[nodiscard]] const MessageRecorder& messages() const { return messages_; }
  [[nodiscard]] const EventLog& trace() const { return trace_; }
  [[nodiscard]] const std::vector<ProfiledComm>& comms() const { return comms_; }
  [[nodiscard]] const std::vector<Instance>& instances() const { return instances_; }

 private:
  [[nodiscard]] CallSlot& open_call() {
    return open_[static_cast<std::size_t>(thread_number()) % open_.size()];
  }
  // kNoComm where it is not known.
  [[nodiscard]] int known_index(MPI_Comm comm);
  int learn(MPI_Comm comm);
  int remember(MPI_Comm comm, std::size_t index);
  std::size_t folded();
  int number_of(const CallPath& path);
  int call_site_of(const Record& record, const PythonLine* line, const CallPath& path);
  // On intercommunicators, and on those beyond the first thousand, messages are not followed.
  void leave_out_unnamed(ProfiledMessage& message) const;
  Completed note_requests(const Record& record, const AffectedRequests& affected, int call_site);
  void note_messages(const Record& record, const AffectedRequests& affected,
                     const Completed& completed, int call_site);
  void note_instance(const Record& record, int call_site);
  void thin_out();

  static constexpr std::size_t kMostComms = 1000;
  static constexpr std::size_t kMostPaths = 100'000;  // beyond them new ones are taken for one
  std::size_t most_instances_ = 0;                    // beyond them half is dropped, and so on

  struct Key {
    std::uintptr_t caller;  // or the Python line
    int function;
    int comm;
    int path;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      const auto rest = (static_cast<std::size_t>(key.function) << 20) ^
                        (static_cast<std::size_t>(key.path) << 40) ^
                        static_cast<std::size_t>(static_cast<unsigned>(key.comm));
      return (key.caller ^ rest) * 0x9e3779b97f4a7c15;
    }
  };

  std::mutex mutex_;
  // The index of a communicator, plus one.
  CommAttributes attributes_{[](void* /*value*/) {}};
  std::vector<ProfiledComm> comms_;
  std::unordered_map<std::uint64_t, int> next_ordinal_;  // by members
  std::vector<ProfiledCallSite> call_sites_;
  std::unordered_map<Key, int, Hash> index_;  // of call_sites_
  std::vector<Instance> instances_;
  int depth_ = 1;
  std::map<CallPath, int> paths_;
  MessageRecorder messages_;
  UnderWay under_way_{messages_};
  std::array<CallSlot, 64> open_;  // by thread; of more some share one
  EventLog trace_;
};

}  // namespace stretto::intercept::profile
