// Does the actions of one sequence on this rank and notes what comes of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pending.hpp"
#include "plan.hpp"

namespace differential {

// How it is done; what comes out is the same.
struct Manner {
  // May nonblocking collectives do all that MPI allows? The MPIs' own have faults, which are
  // named where they are avoided; Open MPI 4.1's also crash when a datatype, operation or
  // communicator is freed that they use. On one rank they are the MPI's even under Stretto.
  bool trusted = false;
  bool in_turn = false;  // see Simpler
  bool threads = false;  // MPI_THREAD_MULTIPLE: two make communicators at a time
};

class Executor {
 public:
  Executor(Manner manner, Seed seed, int index);
  ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Returns lines `ACTION ERROR RECEIVED SENT`, by action.
  std::string run(const std::vector<Action>& actions);

 private:
  void act(const Action& action);
  void be_late(const Action& action) const;
  void make(const Action& action);
  void free_comm(Id comm);
  void call(const Action& action);
  void start(const Action& action);
  void init(const Action& action);
  void restart(const Action& action);
  void free_request(Id request);
  void stay_away(const Action& action) const;
  void flood(const Action& action);
  void complete(std::vector<Pending> chosen, Random random);
  void complete_some(Random random);
  void complete_all(Random random);
  // So that a persistent operation may start again.
  void complete_one(Id init, Random random);
  void finish();
  void note(Id action, const Outcome& outcome);
  [[nodiscard]] Random own(Seed seed) const;
  [[nodiscard]] bool trusts(const View& view) const;
  // The MPI's own nonblocking and persistent forms of it, for their faults.
  [[nodiscard]] bool avoids(const Action& action, const View& view) const;
  int issue_nonblocking(Job& job, const Action& action, MPI_Request* request) const;

  struct Persistent {
    Action action;
    std::shared_ptr<Job> job;
    MPI_Request request = MPI_REQUEST_NULL;
    bool stands_in = false;  // a nonblocking one does, for want of a persistent one to trust
  };

  Manner manner_;
  Seed seed_;
  int rank_ = 0;
  int size_ = 1;
  std::map<Id, View> views_;
  std::map<Id, Persistent> persistent_;
  std::vector<Pending> pending_;
  std::map<Id, std::vector<std::string>> notes_;
};

}  // namespace differential
