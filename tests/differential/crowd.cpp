#include "crowd.hpp"

#include <array>
#include <thread>
#include <vector>

#include "view.hpp"

namespace differential {
namespace {

constexpr int kUsedTogether = 100;

MPI_Comm create_group(const View& parent, int tag) {
  MPI_Group all{}, most{};
  MPI_Comm_group(parent.comm, &all);
  int range[1][3] = {{0, parent.size / 2, 1}};
  MPI_Group_range_incl(all, 1, range, &most);
  MPI_Comm made = MPI_COMM_NULL;
  if (parent.rank <= parent.size / 2) MPI_Comm_create_group(parent.comm, most, tag, &made);
  MPI_Group_free(&most);
  MPI_Group_free(&all);
  return made;
}

MPI_Comm idup(const View& parent) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(parent.comm, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return made;
}

class Half {
 public:
  // Its own parent: one communicator must not be duplicated by two threads at a time.
  Half(const Action& action, int number, int many)
      : action_(action), random_({action.seed, as_seed(number)}), number_(number), many_(many) {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    parent_ = view_of(parent, 0);
  }

  void run() {
    // Some ways take more than one: as many as there may be are there at a time.
    while (static_cast<int>(made_.size()) < many_) make();
    use();
    random_.shuffle(made_);
    for (std::size_t i = 0; i < made_.size(); ++i) {
      if (i % 64 == 0) use();
      if (made_[i].comm != MPI_COMM_NULL) MPI_Comm_free(&made_[i].comm);
    }
  }

  Seed end() {
    MPI_Comm_free(&parent_.comm);
    return digest_;
  }

 private:
  void make() {
    const int way = random_.below(16);
    if (way == 0) {
      made_.push_back(view_of(idup(parent_), 0));
    } else if (way == 1) {
      made_.push_back(view_of(create_group(parent_, number_), 0));
    } else {
      constexpr Making kWays[] = {Making::dup,
                                  Making::split_parity,
                                  Making::split_alone,
                                  Making::split_reversed,
                                  Making::split_some,
                                  Making::create_half,
                                  Making::cart,
                                  Making::graph,
                                  Making::dist_graph_adjacent};
      Action action;
      action.seed = random_.next();
      action.making = way == 2 && random_.one_in(8) ? Making::intercomm
                                                    : kWays[random_.below(std::size(kWays))];
      made_.push_back(make_comm(action, parent_));
    }
    const View& made = made_.back();
    add(as_seed(made.size) * 7 + as_seed(made.rank) + (made.comm == MPI_COMM_NULL ? 1000 : 0));
    // At once, each sixteenth.
    if (random_.one_in(16)) add(as_seed(sum_on(made, 3)));
  }

  static int sum_on(const View& view, int mine) {
    int sum = 0;
    mine += view.rank;
    if (view.comm != MPI_COMM_NULL) {
      MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, view.comm);
    }
    return sum;
  }

  // Many of them at a time, completed in any order.
  void use() {
    std::array<int, kUsedTogether> mine{}, sums{};
    std::array<MPI_Request, kUsedTogether> requests{};
    requests.fill(MPI_REQUEST_NULL);
    const int first = random_.below(static_cast<int>(made_.size()));
    for (std::size_t i = 0; i < kUsedTogether && i < made_.size(); ++i) {
      const View& view = made_[(static_cast<std::size_t>(first) + i) % made_.size()];
      // The MPIs err in nonblocking collectives on intercommunicators; see Executor.
      if (view.comm == MPI_COMM_NULL || view.inter) continue;
      mine[i] = view.rank + static_cast<int>(i);
      MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, view.comm, &requests[i]);
    }
    MPI_Waitall(kUsedTogether, requests.data(), MPI_STATUSES_IGNORE);
    for (const int sum : sums) add(as_seed(sum));
  }

  void add(Seed value) { digest_ = mix(digest_ ^ value) + value; }

  const Action& action_;
  Random random_;
  int number_;
  int many_;
  View parent_;
  std::vector<View> made_;
  Seed digest_ = 1;
};

}  // namespace

Seed run_crowd(const Action& action, bool threads) {
  Half first(action, 0, (action.many + 1) / 2), second(action, 1, action.many / 2);
  if (threads) {
    std::thread other([&] { second.run(); });
    first.run();
    other.join();
  } else {
    first.run();
    second.run();
  }
  const Seed digest = first.end();
  return mix(digest + second.end());
}

}  // namespace differential
