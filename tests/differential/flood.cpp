#include "flood.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace differential {
namespace {

constexpr int kCallTag = 901;
constexpr int kFew = 64;
constexpr int kInFlight = 64;  // what is under way at a time stays small
// Without progress for so long, it is the late rank that the others wait for.
constexpr std::int64_t kStuckNs = 50'000'000;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// Of what is not late the next rank.
int caller(int late, int size) { return (late + 1) % size; }

class Flood {
 public:
  Flood(const Action& action, const View& view, bool whole)
      : action_(action),
        view_(view),
        whole_(whole),
        late_(action.late_rank < 0 ? -1 : late_rank()) {
    requests_.fill(MPI_REQUEST_NULL);
    // Of all ranks, or of all but the late one.
    root_ = late_ < 0 ? action.arguments.root % view.size
                      : (late_ + 1 + action.arguments.root % (view.size - 1)) % view.size;
    calls_ = late_ >= 0 && view.rank == caller(late_, view.size);
  }

  Seed run() {
    // Two ranks never overtake each other.
    const int sent = whole_ && view_.size > 2 ? action_.many : std::min(action_.many, kFew);
    for (int i = sent; i < action_.many; ++i) add(i, value(i), MPI_SUCCESS);
    for (int i = 0; i < sent; ++i) {
      const auto slot = static_cast<std::size_t>(i % kInFlight);
      finish(slot);
      values_[slot] = view_.rank == root_ ? value(i) : -1;
      number_[slot] = i;
      const int error = MPI_Ibcast(&values_[slot], 1, MPI_INT, root_, view_.comm, &requests_[slot]);
      if (error != MPI_SUCCESS) digest_ ^= mix(as_seed(error) + 5);
    }
    for (std::size_t slot = 0; slot < kInFlight; ++slot) finish(slot);
    call();
    return digest_;
  }

 private:
  [[nodiscard]] int late_rank() const {
    return view_.size < 2 ? -1 : action_.late_rank % view_.size;
  }
  [[nodiscard]] int value(int i) const {
    return static_cast<int>(mix(action_.seed + as_seed(i)) >> 33);
  }

  void finish(std::size_t slot) {
    if (requests_[slot] == MPI_REQUEST_NULL) return;
    int done = 0, error = MPI_SUCCESS;
    const std::int64_t begin = calls_ ? now_ns() : 0;
    while (done == 0 && error == MPI_SUCCESS) {
      error = MPI_Test(&requests_[slot], &done, MPI_STATUS_IGNORE);
      if (done == 0) sched_yield();
      if (calls_ && now_ns() - begin > kStuckNs) call();
    }
    add(number_[slot], values_[slot], error);
  }

  // In whatever order they complete.
  void add(int number, int value, int error) {
    digest_ ^= mix(as_seed(value) * 3 + as_seed(number)) + as_seed(error);
  }

  void call() {
    if (calls_) MPI_Send(nullptr, 0, MPI_BYTE, late_, kCallTag, view_.comm);
    calls_ = false;
  }

  const Action& action_;
  const View& view_;
  bool whole_;
  int late_;
  int root_ = 0;
  bool calls_ = false;
  Seed digest_ = 1;
  std::array<MPI_Request, kInFlight> requests_;
  std::array<int, kInFlight> values_{};
  std::array<int, kInFlight> number_{};
};

}  // namespace

void await_call(const View& view, bool computes) {
  int called = 0;
  for (int looks = 1; called == 0; ++looks) {
    // MPICH takes in a message or so a look, and the others wait for it to take in all.
    MPI_Iprobe(caller(view.rank, view.size), kCallTag, view.comm, &called, MPI_STATUS_IGNORE);
    if (looks % 64 == 0)
      computes ? static_cast<void>(sched_yield()) : static_cast<void>(usleep(200));
  }
  MPI_Recv(nullptr, 0, MPI_BYTE, caller(view.rank, view.size), kCallTag, view.comm,
           MPI_STATUS_IGNORE);
}

Seed run_flood(const Action& action, const View& view, bool whole) {
  return Flood(action, view, whole).run();
}

}  // namespace differential
