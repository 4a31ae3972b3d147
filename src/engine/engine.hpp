// Runs operations: the lock, the list of those under way, and who drives them.
//
// Three may drive: the application thread that waits inside Stretto; any thread inside
// a call of Stretto's, in passing; and the progress thread, which steps in only while
// something is pending in the background and no thread waits.
//
// The lock guards what is known of operations, for moments. It is held neither while the MPI
// is called nor while data are copied or reduced: both may run functions of the program's, which
// may call MPI and so come here again, from this thread or, through locks of the program's own,
// from another (docs/decisions/0021-callbacks.md).
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/doorbell.hpp"
#include "base/rank_context.hpp"
#include "engine/attention.hpp"
#include "engine/awaited.hpp"
#include "engine/idle.hpp"
#include "engine/operation.hpp"
#include "engine/transports.hpp"
#include "mpi/thread_level.hpp"

namespace stretto {

class Engine {
 public:
  // This rank's.
  [[nodiscard]] static Engine& get() { return of_rank<Engine>(); }
  Engine() = default;

  // After MPI_Init: reads the thread level and starts the progress thread where the MPI
  // allows one and the setting STRETTO_PROGRESS_THREAD, or without it `thread_by_default`,
  // wants it. `program_level` is what the program may use of it; the MPI's locks are `locks`.
  // Safe to call again.
  [[nodiscard]] bool open(int program_level, bool thread_by_default,
                          Transports transports = make_transports(), Locks locks = Locks::switched);
  // Before MPI_Finalize: completes what is pending, ends the progress thread.
  void close();
  // Ends the progress thread alone: from then on what is pending advances in the program's calls.
  void stop_thread();
  [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_acquire); }

  // Does pending work advance while the program computes? If not, nonblocking
  // collectives belong to the MPI: a rank blocked in a receive of the MPI's could not
  // forward for others.
  [[nodiscard]] bool has_progress_thread() const { return has_thread_ && !in_memory_only_; }
  // Where the MPI allows no second thread: long sums and blocks of ranks that share memory do, by
  // one that calls nothing of the MPI's. It begins with the first of them.
  [[nodiscard]] bool advances_in_memory() const { return in_memory_only_; }
  // May functions of the program's run beside it, as it has MPI_THREAD_MULTIPLE?
  [[nodiscard]] bool program_has_threads() const { return program_has_threads_; }

  // How the program hears of an operation's end: it asks the operation, or
  struct Notice {
    MPI_Request* handle = nullptr;  // it gets an MPI_Request, a generalized one, here; or
    std::shared_ptr<const own_channel::Signal> signal{};  // a request it has is signalled:
    MPI_Request signalled{};                              // this one
  };
  // Begins an operation. `background`: the program goes on meanwhile. The caller owns one
  // reference and gives it back with `release`; for an operation with a handle MPI gives it
  // back when the request is freed.
  Operation* start(Task task, bool background, const Notice& notice);
  // The same of one that is made already, or rested and is renewed.
  void begin(Operation* operation, bool background, const Notice& notice);
  static void release(Operation* operation);
  // The MPI frees its request.
  void release_handle(Operation* operation);

  // What a persistent operation uses stays, from `hold` to `let_go`.
  void hold(const Task& task);
  void let_go(const Task& task);

  // Drives until `finished()` is true; sleeps as Idle decides. `finished` may call MPI.
  // `on_host`: it depends on nobody but ranks of this host.
  template <class Finished>
  void wait_until(const Finished& finished, bool on_host = false);
  void wait(const Operation& operation);
  // The same for what ranks of this host store in memory that this one sees, which mostly is there
  // sooner than one could begin to drive.
  template <class Stored>
  void wait_for_store(const Stored& stored);
  // Polls once for everything pending.
  void progress();
  // The same, and the MPI is made to move its own messages along, unless that was just done: in
  // calls that are over without either, as another rank may wait for what the program has begun.
  void keep_up() {
    const std::uint64_t now = now_ticks();
    const std::uint64_t pause = oversubscribed_ ? kTicksToKeepUpCrowded : kTicksToKeepUp;
    if (now - kept_up_.load(std::memory_order_relaxed) < pause) return;
    kept_up_.store(now, std::memory_order_relaxed);
    catch_up();
  }

  // Something of the MPI's own is pending that its progress thread should move along:
  // call with +1 when it starts and -1 when it is over.
  void add_background(int change);
  // Is each of these the request of an operation that is not over? Its end raises `ended`.
  [[nodiscard]] bool owns(int count, const MPI_Request* requests);
  // How many operations have ended, and the program's requests of them are complete.
  [[nodiscard]] long ended() const { return operations_ended_.load(std::memory_order_acquire); }
  // Operations and other things pending in the background.
  [[nodiscard]] int background() const { return background_.load(std::memory_order_relaxed); }

  // A thread is about to call the MPI for long or often: takes the MPI's locks out of
  // its way while nothing is pending (see ThreadLevel).
  [[gnu::always_inline]] void relax() {
    if (locks_on_.load(std::memory_order_relaxed) && background() == 0) lower_locks();
  }

  // From now on the MPI's locks stay: parts of it that lock on their own would be caught
  // between two settings.
  void keep_locks();

  // The program frees what something in the background may still use. True: it is freed
  // when that is done; false: nothing uses it, free it now.
  bool free_type_later(MPI_Datatype type);
  bool free_op_later(MPI_Op op);
  // What was to be freed later and can be now. On a thread of the program's and not under the
  // lock: a type may have attributes, whose callbacks are the program's.
  void free_released();

  [[nodiscard]] const Transports& transports() const { return transports_; }
  [[nodiscard]] PlanCache& plans() { return plans_; }
  [[nodiscard]] long progress_wakeups() const { return wakeups_; }
  // Of these, by ranks that waited.
  [[nodiscard]] long progress_rings() const { return heard_; }
  [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }
  [[nodiscard]] bool spans_hosts() const { return spans_hosts_; }
  // Of MPI_COMM_WORLD; before any thread of the program's uses the engine.
  void set_hosts(const Hosts& world);

 private:
  using Lock = std::unique_lock<std::mutex>;

  // Under the lock: frees, later, what nothing uses any more that `done` has used.
  void release_unused(const Binding& done);
  template <class Uses>
  [[nodiscard]] bool in_use(const Uses& uses) const;
  [[nodiscard]] bool type_in_use(MPI_Datatype type) const;
  [[nodiscard]] bool op_in_use(MPI_Op op) const;

  // Those that take the lock give it up meanwhile and return true where they did anything.
  bool pass(Lock& lock);  // polls, and then
  bool work(Lock& lock, const Operation* only = nullptr);
  bool poll(Lock& lock);
  [[nodiscard]] bool has_messages() const;   // in flight
  [[nodiscard]] bool stays_on_host() const;  // all that is in flight, and something is
  bool post(Lock& lock);
  bool compute(Lock& lock, const Operation* only);
  [[nodiscard]] Operation* take_to_compute(const Operation* only);
  // Is a function of the program's to be run that a waiting thread may not run?
  [[nodiscard]] bool must_call() const;
  bool retire(Lock& lock);
  // Runs `action`, which uses the transport or needs to be alone in the MPI, without the lock.
  // Only while nobody else drives; what is to be posted then waits until `post`.
  template <class Action>
  void drive(Lock& lock, const Action& action);
  void settle(Operation* operation);

  void attend(bool polls);  // a thread waits inside Stretto, or none does
  void ring_others();       // under the lock: wakes ranks that this one waits for
  void enter_wait();
  void leave_wait();
  // What a pass has moved: nothing, parts of messages that need not be complete, or more.
  enum class Moved { nothing, parts, whole };
  Moved try_pass();
  void catch_up();
  void report_stall(bool on_host);
  void raise_background(int change, int handles = 0);  // under the lock; so many handles with it
  // Something has begun in the background; `needs_polls`: nobody rings for it. Gives the
  // lock up.
  void wake_thread(Lock& lock, bool needs_polls);
  void lower_locks();
  void start_progress_thread();
  void start_thread_in_memory();
  [[nodiscard]] bool may_call_mpi() const { return !is_progress_thread || !in_memory_only_; }
  // May this thread? Where the progress thread may not call the MPI nothing is begun in the
  // background that needs it, but to pack first and to unpack last (Operation::calls_mpi), and who
  // has begun anything else waits for it.
  [[nodiscard]] bool may_advance(const Operation& operation) const {
    return may_call_mpi() || (operation.without_mpi && operation.stays_on_host());
  }
  [[nodiscard]] bool has_work() const;  // for the progress thread, where nobody waits
  void run_progress_thread();
  // Until `wanted` or for `ns`, and gives up the lock meanwhile. Returns whether that is so.
  template <class Wanted>
  bool sleep(Lock& lock, std::int64_t ns, const Wanted& wanted);
  bool nap(Lock& lock, std::int64_t ns);  // returns whether others have rung
  void listen_unless_waiting();
  // Would other ranks wake this one as soon as they need anything of what is pending?
  [[nodiscard]] bool is_rung_for() const;
  // Or do messages move without a core of this host?
  [[nodiscard]] bool has_free_core() const { return shortest_pause_ns_ == kShortestPause; }
  [[nodiscard]] bool is_worth_polling();
  [[nodiscard]] bool is_awaited() const;  // perhaps
  bool poll_in_background(Lock& lock);    // whether anything has moved
  [[nodiscard]] std::int64_t pause_ns(std::int64_t shortest) const;
  static void poke();
  // A thread that waits pokes the MPI, too: another rank may need what the program has begun with
  // the MPI (MPI_Isend) to come to where it is waited for.
  static constexpr std::int64_t kBetweenPokes = 20'000;    // ns
  static constexpr std::uint64_t kTicksToKeepUp = 40'000;  // 10 us or so
  // An MPI that finds nothing to do gives its core to the other ranks there, for microseconds.
  static constexpr std::uint64_t kTicksToKeepUpCrowded = 1'000'000;

  std::mutex mutex_;
  std::mutex opening_;
  Doorbell own_doorbell_;
  // By which the progress thread sleeps: that, or one that other ranks of the host may ring, too.
  Doorbell* doorbell_ = &own_doorbell_;
  Transports transports_;
  ThreadLevel threads_;
  PlanCache plans_;
  pthread_t thread_{};
  RankContext* rank_ = nullptr;  // that the thread runs for

  std::atomic<bool> open_{false};
  std::atomic<int> background_{0};  // changed under the lock
  std::vector<Operation*> running_;
  std::vector<const Task*> held_;
  // Each operation at most once in each (see Operation::Listed).
  std::vector<Operation*> to_post_;
  std::vector<Operation*> to_compute_;
  std::vector<Operation*> to_call_;  // instead of to_compute_: those that call the program
  std::vector<Operation*> to_cancel_;
  std::vector<Operation*> ended_;
  std::vector<Operation::Post> posts_;  // that whoever drives has taken
  bool driving_ = false;                // somebody uses the transport
  bool may_post_ = false;  // of those to post, something may have become free to be posted
  std::vector<MPI_Datatype> types_to_free_;
  std::vector<MPI_Op> ops_to_free_;
  std::vector<MPI_Datatype> released_types_;  // by all that used them
  std::vector<MPI_Op> released_ops_;
  std::atomic<bool> any_released_{false};
  bool keeps_locks_ = false;
  bool program_has_threads_ = false;
  long polls_ = 0;        // at what is pending, by anybody
  long begun_ = 0;        // in the background
  long needs_polls_ = 0;  // of these, such as nobody rings for
  int waiters_ = 0;
  bool parked_ = false;     // the progress thread sleeps until it is woken
  bool napping_ = false;    // or for a while, unless there is something that nobody else may do
  bool naps_long_ = false;  // or for long, unless it is rung for
  bool rang_ = false;       // and it was
  bool stopping_ = false;
  std::atomic<bool> has_thread_{false};
  bool in_memory_only_ = false;
  bool thread_failed_ = false;  // to begin
  bool oversubscribed_ = false;
  bool spans_hosts_ = false;
  // Between two polls of the progress thread, in ns. On one host all transport is work of the
  // ranks' cores: where these compute and no other is free, a poll gains no time and takes some.
  static constexpr std::int64_t kShortestPause = 200'000;
  static constexpr std::int64_t kLongestPause = 2'000'000;
  // Where others ring for it. Each time that the thread wakes takes 20 us of a core and more.
  static constexpr std::int64_t kRungPause = 20'000'000;
  static constexpr std::int64_t kBetweenRings = 2'000'000;
  std::int64_t shortest_pause_ns_ = kShortestPause;
  int unpolled_ = 0;       // times that the progress thread looked whether anybody waits
  bool moves_on_ = false;  // its last poll has completed anything
  // The last poll has moved a part of a message: nothing stalls, and who waits does not sleep. But
  // it pokes the MPI and yields, and what the progress thread reads takes the computation's core.
  bool parts_moved_ = false;
  std::atomic<bool> locks_on_{false};
  std::atomic<long> wakeups_{0};
  std::atomic<long> heard_{0};
  std::atomic<bool> stays_on_host_{false};
  std::atomic<long> moves_{0};  // passes that moved anything
  std::atomic<long> operations_ended_{0};
  std::atomic<std::uint64_t> kept_up_{0};
  std::atomic<std::int64_t> stall_ns_{INT64_MAX};  // a wait this long without a move is reported
  static inline constinit thread_local bool is_progress_thread [[gnu::tls_model("initial-exec")]] =
      false;
};

template <class Finished>
void Engine::wait_until(const Finished& finished, bool on_host) {
  if (finished()) {
    if (in_memory_only_ && background() > 0) try_pass();  // what is over is left to this thread
    return free_released();
  }
  enter_wait();
  Idle idle(oversubscribed_);
  long moves = moves_.load(std::memory_order_relaxed);
  std::int64_t poked_ns = 0;
  std::int64_t rung_ns = 0;
  std::int64_t before_ns = 0;  // what moves need not be what another rank is waited for
  while (!finished()) {
    const Moved moved = try_pass();
    if (moved == Moved::whole) {
      before_ns += idle.waited_ns();
      idle.reset();
      poked_ns = 0;
      moves = moves_.load(std::memory_order_relaxed);
      continue;
    }
    if (moved == Moved::parts) idle.stay_awake();
    idle.pause(on_host || stays_on_host_.load(std::memory_order_relaxed));
    if (idle.waited_ns() < poked_ns) poked_ns = 0;  // it has been stopped meanwhile
    if (idle.waited_ns() - poked_ns >= kBetweenPokes) {
      poked_ns = idle.waited_ns();
      poke();
    }
    if (before_ns + idle.waited_ns() - rung_ns >= kBetweenRings) {
      rung_ns = before_ns + idle.waited_ns();
      const Lock lock(mutex_);
      ring_others();
    }
    if (idle.waited_ns() < stall_ns_.load(std::memory_order_relaxed)) continue;
    // Other threads may have moved what this one waits for.
    if (moves == moves_.load(std::memory_order_relaxed)) report_stall(on_host);
    moves = moves_.load(std::memory_order_relaxed);
    before_ns += idle.waited_ns();
    idle.reset();
    poked_ns = 0;
  }
  leave_wait();
  free_released();
}

template <class Stored>
void Engine::wait_for_store(const Stored& stored) {
  constexpr int kLooks = 2000;  // some microseconds
  constexpr int kYields = 16;
  const int looks = oversubscribed_ ? kYields : kLooks;
  // What is pending in the background is driven meanwhile.
  for (int look = 0; look < looks && background() == 0; ++look) {
    if (stored()) return;
    if (oversubscribed_) sched_yield();
  }
  wait_until(stored, true);
}

template <class Action>
void Engine::drive(Lock& lock, const Action& action) {
  driving_ = true;
  lock.unlock();
  action();
  lock.lock();
  driving_ = false;
}

}  // namespace stretto
