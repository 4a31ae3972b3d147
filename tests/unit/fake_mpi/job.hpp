// An MPI job in this process, for unit tests: each rank is a thread, and all that a rank has hangs
// from a RankContext of its own. The MPI that it runs on is in this folder, has MPICH's ABI and
// takes native.cpp's place when a test is linked.
//
// The test says what goes wrong and when: calls fail, messages are held back. What a job leaves
// behind, and calls that MPI forbids, fail the test.
#pragma once

#include <mpi.h>

#include <chrono>
#include <climits>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stretto {
class RankContext;
}

namespace fake_mpi {

struct State;

struct Options {
  int thread_level = MPI_THREAD_MULTIPLE;  // that it provides, at most
  int highest_tag = (1 << 28) - 1;
  int contexts = INT_MAX;       // communicators that can be alive, MPI_COMM_WORLD and SELF besides
  MPI_Count eager_bytes = 128;  // up to so many a send is complete before it is received
  int ranks_per_host = 0;       // in the order of their numbers; 0: all are on one
  bool initialized = true;      // false: the programs call MPI_Init
  bool switches_locks = false;  // as Open MPI: whether it takes locks is data that others change
  // Ranks of a second MPI_COMM_WORLD, which are numbered on from those of the first.
  int others = 0;
  bool others_are_children = false;  // the first world's, which has spawned them
};

// An error that went to an error handler.
struct Report {
  MPI_Comm comm{};
  MPI_Errhandler handler{};
  int error = MPI_SUCCESS;
};

// Who sends to whom, numbered in the job.
struct Envelope {
  int from = 0;
  int to = 0;
  int tag = 0;
};

class Job {
 public:
  explicit Job(int ranks, const Options& options = {});
  // Fails the test where anything is left over, was misused, or would have ended the job.
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Runs `program` on each rank until all have returned. May be called again: ranks stay what they
  // have become. A job that hangs ends the test program, which says what each rank was called last.
  void run(const std::function<void(int rank)>& program);
  // The same of one rank only, on this thread.
  void run_one(int rank, const std::function<void()>& program);

  // Of MPI_<function> as `rank` calls it, counted from now on, calls number `first` to `last` fail.
  // One that is collective, or moves a message, has its part in it first, so nobody waits for
  // it: a message that is not sent arrives as an error.
  void fail(int rank, const std::string& function, int first, int error = MPI_ERR_OTHER,
            int last = 0);
  // From now on each call of MPI_<function> takes so much longer, on all ranks.
  void delay(const std::string& function, std::chrono::microseconds by);
  [[nodiscard]] long calls(int rank, const std::string& function) const;
  // Of all functions that `rank` has called, the names.
  [[nodiscard]] std::vector<std::string> called(int rank) const;

  // From now on messages of these stay on their way once they are matched, until they are
  // released: the oldest `most` of them, or all, and then none is held any more.
  void hold(std::function<bool(const Envelope&)> which);
  [[nodiscard]] int held() const;
  void release(int most);
  void release();

  // What went to error handlers on `rank` since this was asked last.
  [[nodiscard]] std::vector<Report> take_reports(int rank);
  // Objects that the rank has made and not freed, in words; empty: none.
  [[nodiscard]] std::string left(int rank) const;
  // Objects of no matter are left.
  void may_leave_objects() { checks_objects_ = false; }
  // What was forbidden, in words, since this was asked last.
  [[nodiscard]] std::vector<std::string> take_misuse();

 private:
  std::unique_ptr<State> state_;
  std::vector<std::unique_ptr<stretto::RankContext>> contexts_;
  bool checks_objects_ = true;
};

// Waits, as long as a test may take, until `condition` holds.
void eventually(const std::function<bool()>& condition);

// On an intercommunicator of both worlds, as MPI_Comm_connect and MPI_Comm_accept make it.
[[nodiscard]] MPI_Comm connect_worlds();

}  // namespace fake_mpi
