#include "fake_mpi/job.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "base/rank_context.hpp"
#include "fake_mpi/entered.hpp"

namespace fake_mpi {
namespace {

// Sanitizers and a loaded machine take long.
constexpr auto kHangsAfter = std::chrono::seconds(120);

// Of an intercommunicator of both worlds that no program gets.
constexpr MPI_Comm kBridge = MPI_COMM_SELF + 1;

constexpr int handle(unsigned kind, int rank) {
  return static_cast<int>(kind | static_cast<unsigned>(rank) << 16 | 0x100U);
}

std::vector<int> numbers(int first, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::shared_ptr<Context> context_of(std::vector<int> ranks) {
  return std::make_shared<Context>(Context{.groups = {std::move(ranks), {}}});
}

void put_errhandlers(Rank& rank) {
  for (const MPI_Errhandler named : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_ERRORS_ABORT}) {
    rank.handlers.put(named, std::make_shared<Errhandler>(Errhandler{.named = named}));
  }
}

[[noreturn]] void hang(const State& job) {
  // Not under the lock, which a thread that hangs may hold.
  for (const auto& rank : job.ranks) {
    std::fprintf(stderr,
                 "fake MPI: rank %d was last in MPI_%s, %zu of its threads are in the MPI\n",
                 rank->number, rank->last_call.c_str(), rank->inside.size());
  }
  std::fprintf(stderr, "fake MPI: the job hangs\n");
  std::abort();
}

void append(std::string& text, std::size_t number, const char* what) {
  if (number == 0) return;
  text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + what;
}

}  // namespace

Rank::Rank(State& of, int job_number)
    : job(of),
      number(job_number),
      comms(handle(0x84000000, number)),
      groups(handle(0x88000000, number)),
      types(handle(0x8c000000, number)),
      ops(handle(0x98000000, number)),
      handlers(handle(0x94000000, number)),
      keyvals(handle(0xa4000000, number)),
      requests(handle(0xac000000, number)),
      messages(handle(0xec000000, number)) {
  put_errhandlers(*this);
  groups.put(MPI_GROUP_EMPTY, std::make_shared<Group>());
}

State::State(int number, const Options& chosen) : options(chosen), first_world(number) {
  const std::array<std::vector<int>, 2> worlds{numbers(0, number), numbers(number, chosen.others)};
  const std::array<std::shared_ptr<Context>, 2> world{context_of(worlds[0]), context_of(worlds[1])};
  const auto bridge = std::make_shared<Context>(Context{.groups = worlds, .is_inter = true});
  const auto family = std::make_shared<Context>(Context{.groups = worlds, .is_inter = true});
  made = {world[0], world[1], bridge, family};
  for (int each = 0; each < number + chosen.others; ++each) {
    ranks.push_back(std::make_unique<Rank>(*this, each));
    Rank& rank = *ranks.back();
    const int side = each < number ? 0 : 1;
    const int place = side == 0 ? each : each - number;
    const auto on = [&](const std::shared_ptr<Context>& context) {
      return std::make_shared<Comm>(Comm{.context = context, .side = side, .rank = place});
    };
    const auto alone = std::make_shared<Comm>(Comm{.context = context_of({each})});
    const auto own_world = std::make_shared<Comm>(
        Comm{.context = world[static_cast<std::size_t>(side)], .rank = place});
    rank.comms.put(MPI_COMM_WORLD, own_world);
    rank.comms.put(MPI_COMM_SELF, alone);
    rank.comms.put(kBridge, on(bridge));
    if (side == 1 && chosen.others_are_children) {
      rank.parent = kBridge + 1;
      rank.comms.put(rank.parent, on(family));
    }
    rank.initialized = chosen.initialized;
    rank.level = chosen.thread_level;
    rank.takes_locks = rank.initialized && rank.level == MPI_THREAD_MULTIPLE;
  }
}

// What some ranks have not come to names the communicator that it is on.
State::~State() {
  for (const auto& each : made) {
    if (const auto context = each.lock()) context->meetings.clear();
  }
}

std::shared_ptr<Context> make_context(State& job, std::array<std::vector<int>, 2> groups,
                                      bool is_inter) {
  if (job.contexts >= job.options.contexts) return nullptr;
  ++job.contexts;
  const std::shared_ptr<Context> context{
      new Context{.groups = std::move(groups), .is_inter = is_inter}, [&job](const Context* gone) {
        --job.contexts;
        delete gone;
      }};
  job.made.push_back(context);
  return context;
}

Job::Job(int ranks, const Options& options) : state_(std::make_unique<State>(ranks, options)) {
  for (const auto& rank : state_->ranks) {
    contexts_.push_back(std::make_unique<stretto::RankContext>());
    contexts_.back()->get<Here>().rank = rank.get();
  }
}

Job::~Job() {
  for (const std::string& each : take_misuse()) ADD_FAILURE() << each;
  for (const auto& rank : state_->ranks) {
    if (checks_objects_) {
      EXPECT_EQ(left(rank->number), "") << "rank " << rank->number;
    }
    for (const Report& report : rank->reports) {
      EXPECT_NE(report.handler, MPI_ERRORS_ARE_FATAL)
          << "rank " << rank->number << " would have been ended by error " << report.error;
    }
  }
  for (auto& context : contexts_) {
    const stretto::Running running(*context);
    context.reset();
  }
}

void Job::run(const std::function<void(int rank)>& program) {
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = contexts_.size();
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < contexts_.size(); ++rank) {
    threads.emplace_back([&, rank] {
      {
        const stretto::Running here(*contexts_[rank]);
        state_->ranks[rank]->thread = std::this_thread::get_id();
        program(static_cast<int>(rank));
      }
      const std::lock_guard lock(mutex);
      --running;
      ended.notify_all();
    });
  }
  {
    std::unique_lock lock(mutex);
    if (!ended.wait_for(lock, kHangsAfter, [&] { return running == 0; })) hang(*state_);
  }
  for (std::thread& thread : threads) thread.join();
}

void Job::run_one(int rank, const std::function<void()>& program) {
  const stretto::Running here(*contexts_[static_cast<std::size_t>(rank)]);
  state_->ranks[static_cast<std::size_t>(rank)]->thread = std::this_thread::get_id();
  program();
}

void Job::fail(int rank, const std::string& function, int first, int error, int last) {
  const std::lock_guard lock(state_->mutex);
  Rank& failing = *state_->ranks[static_cast<std::size_t>(rank)];
  const long before = failing.calls[function];
  failing.failures.push_back({function, before + first, before + std::max(first, last), error});
}

void Job::delay(const std::string& function, std::chrono::microseconds by) {
  const std::lock_guard lock(state_->mutex);
  state_->delays[function] = by;
}

long Job::calls(int rank, const std::string& function) const {
  const std::lock_guard lock(state_->mutex);
  const auto& calls = state_->ranks[static_cast<std::size_t>(rank)]->calls;
  const auto found = calls.find(function);
  return found == calls.end() ? 0 : found->second;
}

std::vector<std::string> Job::called(int rank) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> names;
  for (const auto& [name, number] : state_->ranks[static_cast<std::size_t>(rank)]->calls) {
    if (number > 0) names.push_back(name);
  }
  return names;
}

void Job::hold(std::function<bool(const Envelope&)> which) {
  const std::lock_guard lock(state_->mutex);
  state_->holds = std::move(which);
}

int Job::held() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->held.size());
}

void Job::release(int most) {
  const std::lock_guard lock(state_->mutex);
  for (int i = 0; i < most && !state_->held.empty(); ++i) {
    state_->held.front()();
    state_->held.pop_front();
  }
  state_->changed.notify_all();
}

void Job::release() {
  hold(nullptr);
  release(INT_MAX);
}

std::vector<Report> Job::take_reports(int rank) {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->ranks[static_cast<std::size_t>(rank)]->reports, {});
}

std::string Job::left(int rank) const {
  const std::lock_guard lock(state_->mutex);
  const Rank& of = *state_->ranks[static_cast<std::size_t>(rank)];
  std::string text;
  append(text, of.comms.size(), "communicators");
  append(text, of.groups.size(), "groups");
  append(text, of.types.size(), "datatypes");
  append(text, of.ops.size(), "operations");
  append(text, of.handlers.size(), "error handlers");
  append(text, of.keyvals.count_if([](const Keyval& each) { return !each.freed; }), "keyvals");
  append(text, of.requests.size(), "requests");
  append(text, of.messages.size(), "matched messages");
  append(text, of.arrived.size(), "messages nobody received");
  append(text, of.posted.size(), "receives");
  return text;
}

std::vector<std::string> Job::take_misuse() {
  const std::lock_guard lock(state_->mutex);
  return std::exchange(state_->misuse, {});
}

void eventually(const std::function<bool()>& condition) {
  // Sooner than the job, so that it says so where a rank waits.
  const auto until = std::chrono::steady_clock::now() + kHangsAfter / 2;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) {
      std::fprintf(stderr, "fake MPI: what a test waits for does not happen\n");
      std::abort();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

MPI_Comm connect_worlds() {
  Entered at("fake_Comm_connect", kBridge);
  const auto made = std::make_shared<std::shared_ptr<Context>>();
  const auto meeting = meet(at, at.comm_pointer(), "Comm_connect", made, [&](Meeting& all) {
    const auto context = make_context(at.job, at.comm().context->groups, true);
    for (const auto& each : all.given)
      *std::static_pointer_cast<std::shared_ptr<Context>>(each) = context;
  });
  return add_comm(at, *made);
}

}  // namespace fake_mpi
