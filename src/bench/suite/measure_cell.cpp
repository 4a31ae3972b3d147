#include "bench/suite/measure_cell.hpp"

#include <algorithm>
#include <iterator>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "bench/suite/buffers.hpp"
#include "bench/suite/call_of.hpp"
#include "bench/suite/warm_up.hpp"
#include "mpi/native.hpp"

namespace stretto::bench {
namespace {

constexpr int kLargestBatch = 256;
// Clocks are read between batches, and a cell that goes on for long is not one that hangs.
constexpr std::int64_t kLongestBatchNs = 500'000'000;

std::int64_t send_bytes(const MeasuredCall& call) {
  return call.blocks().send_length * call.element_size();
}
// MPI_IN_PLACE takes one buffer for both.
std::int64_t receive_bytes(const MeasuredCall& call, const BenchCell& cell) {
  const BlockLayout& blocks = call.blocks();
  return std::max(blocks.receive_length, cell.in_place ? blocks.send_length : 0) *
         call.element_size();
}

// Without a warm-up nothing shows before the calls that count whether ranks keep to times, and how
// far ahead these must be is found out by more messages than a barrier has.
Scheme scheme_of(const Settings& settings) {
  const bool finds_out = settings.scheme == Scheme::automatic && settings.warmup == 0;
  return finds_out ? Scheme::barrier : settings.scheme;
}

class CellRun {
 public:
  CellRun(const BenchCell& cell, const CellGroup& group, const Bench& bench)
      : cell_(cell),
        group_(group),
        bench_(bench),
        call_(cell, group),
        buffers_(bench.settings.buffers, send_bytes(call_), receive_bytes(call_, cell)),
        synchronisation_(scheme_of(bench.settings), group.own, bench.clocks, bench.crowded) {
    const std::int64_t at = group.rank_of_world - cell.delays_from;
    if (at >= 0 && at < std::ssize(cell.delays_ns)) {
      late_ns_ = cell.delays_ns[static_cast<std::size_t>(at)];
    }
    if (group.place.rank == 0) late_ns_ += bench.settings.skew_ns;
  }

  CellResult run() {
    const std::uint32_t changing = warm_up();
    warm_up_calls_ = repetition_;
    const std::int64_t begin = now_ns();
    int next = batch_after(0, 0);
    for (int done = 0; next > 0; next = batch_after(done, now_ns() - begin)) {
      run_batch(next, changing);
      done += next;
    }
    return {.scheme = synchronisation_.scheme(), .wrong = wrong_};
  }

 private:
  // Calls until they are alike, or it takes too long: then what the rows that follow are to say.
  std::uint32_t warm_up() {
    // What one takes is not known yet, and what there is to be set up is done by the first.
    std::vector<double> slowest;  // of each repetition, over all ranks
    const std::int64_t begin = now_ns();
    for (;;) {
      const int more = more_warm_up(slowest, now_ns() - begin, bench_.settings);
      const int next = as_rank_0_has_it(std::min(more, kLargestBatch));
      if (next == 0) break;
      run_batch(next, kWarmup);
      std::vector<double> mine;
      mine.reserve(rows_.size());
      for (const Row& row : rows_) mine.push_back(static_cast<double>(row.left - row.entered));
      std::vector<double> all(mine.size());
      native().Allreduce(mine.data(), all.data(), next, native().real, native().op_max, group_.own);
      slowest.insert(slowest.end(), all.begin(), all.end());
    }
    return judge(slowest) == CallsSoFar::changing ? kChanging : 0;
  }

  [[nodiscard]] int as_rank_0_has_it(int number) const {
    native().Bcast(&number, sizeof number, native().byte, 0, group_.own);
    return number;
  }

  // How many repetitions come next, as rank 0 has it; 0: it is enough.
  int batch_after(int done, std::int64_t spent) {
    const Settings& settings = bench_.settings;
    const std::int64_t usual = std::max<std::int64_t>(usual_ns_, 1);
    std::int64_t next = std::min(settings.at_most - done, kLargestBatch);
    if (done >= settings.at_least || settings.warmup > 0) {
      const std::int64_t left = (settings.budget_ns - spent) / usual;
      next = std::min(next, std::max<std::int64_t>(left, settings.at_least - done));
    } else {
      next = std::min<std::int64_t>(next, settings.at_least);
    }
    if (next <= 0) return as_rank_0_has_it(0);
    const std::int64_t most = std::max<std::int64_t>(kLongestBatchNs / usual, 1);
    return as_rank_0_has_it(static_cast<int>(std::min(next, most)));
  }

  void run_batch(int repetitions, std::uint32_t flags) {
    // All take part in readings, and several groups are not at the same batch.
    if (cell_.comm == "world") bench_.clocks.keep_up();
    synchronisation_.begin_batch(repetitions, usual_ns_);
    rows_.clear();
    const std::int64_t begin = now_ns();
    for (int i = 0; i < repetitions; ++i) rows_.push_back(run_once(i, flags));
    const auto took = static_cast<double>(now_ns() - begin) / repetitions;
    double longest = 0;
    native().Allreduce(&took, &longest, 1, native().real, native().op_max, group_.own);
    usual_ns_ = static_cast<std::int64_t>(longest);
    mark_invalid();
    count_wrong();
    if (call_.is_timed()) bench_.file.append(rows_);
    bench_.alive();
  }

  Row run_once(int i, std::uint32_t flags) {
    const int root = call_.root_of(repetition_);
    const BufferPair pair = buffers_.of(repetition_);
    write(pair, root);
    call_.prepare(pair, root);
    Row row{.cell = static_cast<std::int32_t>(cell_.number),
            .repetition = repetition_,
            .root = root < 0 ? -1 : group_.ranks[static_cast<std::size_t>(root)],
            .flags = flags,
            .group = group_.number,
            .warm_up_calls = warm_up_calls_};
    row.arrived = now_ns();
    synchronisation_.wait(i);
    if (late_ns_ > 0) be_late();
    if (cell_.form == CallForm::blocking) {
      row.entered = now_ns();
      call_.call();
      if (cell_.compute_ns > 0) bench_.work.run(cell_.compute_ns);
      row.left = now_ns();
    } else {
      row.entered = now_ns();
      call_.start();
      row.started = now_ns();
      // Who answers a message does so at once: his work would be in the other rank's time.
      const bool works = call_.is_timed() && (cell_.compute_ns > 0 || cell_.tests > 0);
      if (works) row.computed = compute(row.in_tests);
      call_.wait();
      row.left = now_ns();
    }
    if (cell_.after_ns > 0) {
      bench_.work.run(cell_.after_ns);
      row.after = now_ns();
    }
    call_.finish();
    // What stays as it was received says nothing of the repetitions that follow.
    if (bench_.settings.checks && buffers_.is_rewritten(repetition_) && !is_right(pair, root)) {
      row.flags |= kWrong;
    }
    ++repetition_;
    for (std::int64_t* time :
         {&row.arrived, &row.entered, &row.started, &row.computed, &row.left, &row.after}) {
      if (*time != kNotTaken) *time = bench_.clocks.common(*time);
    }
    return row;
  }

  void be_late() const {
    const std::int64_t until = now_ns() + late_ns_;
    if (bench_.crowded) sleep_ns(late_ns_);
    while (now_ns() < until) {
    }
  }

  // The work, with tests spread evenly within it; when it was done.
  std::int64_t compute(std::int64_t& in_tests) {
    const int parts = cell_.tests + 1;
    for (int test = 0; test < cell_.tests; ++test) {
      bench_.work.run_part(cell_.compute_ns, test, parts);
      const std::int64_t begin = now_ns();
      call_.test();
      in_tests += now_ns() - begin;
    }
    bench_.work.run_part(cell_.compute_ns, cell_.tests, parts);
    return now_ns();
  }

  void write(const BufferPair& pair, int root) {
    if (!buffers_.is_rewritten(repetition_)) return;
    const MeasuredOperation& operation = call_.operation();
    const BlockLayout& blocks = call_.blocks();
    const int size = call_.element_size();
    const int rank = group_.place.rank;
    const int written = buffers_.written_for(repetition_);
    buffers_.spoil(pair);
    if (operation.neighbors) {
      std::int64_t next = 0;
      for (const int count : blocks.send_counts) {
        call_.values().write(pair.send + next * size, count, rank, 0, written);
        next += count;
      }
    } else {
      call_.values().write(pair.send, blocks.send_length, rank, 0, written);
    }
    for (const ResultPiece& piece : laid_before(operation, cell_, blocks, group_.place, root)) {
      call_.values().write(pair.receive + piece.at * size, piece.length, piece.first, piece.from,
                           written);
    }
    buffers_.settle(pair);
  }

  bool is_right(const BufferPair& pair, int root) {
    if (root != root_of_pieces_) {
      pieces_ = result_of(call_.operation(), cell_, call_.blocks(), group_.place, root);
      root_of_pieces_ = root;
    }
    const bool is_root_of_bcast = cell_.operation == "bcast" && group_.place.rank == root;
    const std::int64_t wrong = call_.values().first_wrong(
        is_root_of_bcast ? pair.send : pair.receive, pieces_, buffers_.written_for(repetition_));
    if (wrong < 0) return true;
    if (!said_) {
      // The number is what the tool finds it by.
      say("cell %d, %s of %lld B: rank %d has a wrong byte %lld after repetition %d",
          static_cast<int>(cell_.number), cell_.operation.c_str(),
          static_cast<long long>(cell_.bytes), group_.rank_of_world, static_cast<long long>(wrong),
          repetition_);
      said_ = true;
    }
    return false;
  }

  void mark_invalid() {
    std::vector<std::int64_t> arrived;
    std::vector<std::int64_t> entered;
    arrived.reserve(rows_.size());
    entered.reserve(rows_.size());
    for (const Row& row : rows_) {
      arrived.push_back(row.arrived);
      entered.push_back(row.entered);
    }
    const std::int64_t meant = late_ns_ - (group_.place.rank == 0 ? bench_.settings.skew_ns : 0);
    const auto valid =
        synchronisation_.valid(arrived, entered, meant, bench_.settings.tolerance_ns);
    double share = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (valid[i]) {
        share += 1 / static_cast<double>(rows_.size());
      } else {
        rows_[i].flags |= kInvalid;
      }
    }
    synchronisation_.learn_from(share, (rows_.front().flags & kWarmup) == 0);
  }

  void count_wrong() {
    const auto mine = static_cast<double>(
        std::ranges::count_if(rows_, [](const Row& row) { return (row.flags & kWrong) != 0; }));
    double all = 0;
    native().Allreduce(&mine, &all, 1, native().real, native().op_sum, group_.own);
    wrong_ += static_cast<std::int64_t>(all);
  }

  const BenchCell& cell_;
  const CellGroup& group_;
  const Bench& bench_;
  MeasuredCall call_;
  CellBuffers buffers_;
  Synchronisation synchronisation_;
  std::vector<Row> rows_{};
  std::int64_t late_ns_ = 0;
  std::int64_t usual_ns_ = 1'000'000;
  std::int64_t wrong_ = 0;
  int repetition_ = 0;
  int warm_up_calls_ = 0;  // before the repetitions that count
  bool said_ = false;
  std::vector<ResultPiece> pieces_{};  // of results with that root
  int root_of_pieces_ = -2;            // none yet
};

}  // namespace

std::int64_t memory_of(const BenchCell& cell, const CellGroup& group, BufferUse use) {
  const MeasuredCall call(cell, group);
  return CellBuffers::memory_of(use, send_bytes(call), receive_bytes(call, cell));
}

CellResult measure_cell(const BenchCell& cell, const CellGroup& group, const Bench& bench) {
  return CellRun(cell, group, bench).run();
}

}  // namespace stretto::bench
