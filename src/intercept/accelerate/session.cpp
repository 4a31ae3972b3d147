#include "intercept/accelerate/session.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "api/call.hpp"
#include "base/config.hpp"
#include "base/log.hpp"
#include "engine/device_job.hpp"
#include "intercept/accelerate/counters.hpp"
#include "intercept/accelerate/learned_file.hpp"
#include "intercept/accelerate/lifeline.hpp"
#include "intercept/accelerate/tracked.hpp"
#include "intercept/shared/roll_call.hpp"
#include "intercept/shared/this_rank.hpp"
#include "mpi/thread_level.hpp"
#include "mpi/yielding.hpp"
#include "selection/tuned.hpp"

namespace stretto::intercept::accelerate {
namespace {

struct AccelerateSession {
  int requested = MPI_THREAD_SINGLE;  // of the MPI
  bool begun = false;
};

AccelerateSession& session() { return of_rank<AccelerateSession>(); }

int end(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*extra*/) {
  end_session();
  return MPI_SUCCESS;
}

// MPI_Finalize first of all deletes the attributes of MPI_COMM_SELF, the newest first, and the
// functions that the program has given for that may still communicate (MPI 4.1, 11.4.1). So ours,
// older than any of the program's, ends the session.
void end_in_finalize() {
  int keyval = MPI_KEYVAL_INVALID;
  native().Comm_create_keyval(copy_nothing, end, &keyval, nullptr);
  native().Comm_set_attr(native().comm_self, keyval, nullptr);
  native().Comm_free_keyval(&keyval);  // lives as long as the attribute
}

long number_from_launcher(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::strtol(value, nullptr, 10);
}

// Known before MPI_Init where the launcher says it.
bool all_ranks_on_this_host() {
  for (const auto& [here, all] :
       {std::pair{"MPI_LOCALNRANKS", "PMI_SIZE"},
        std::pair{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"}}) {
    const long ranks = number_from_launcher(all);
    if (ranks > 0) return number_from_launcher(here) == ranks;
  }
  return false;
}

// MPI_THREAD_MULTIPLE makes every call dearer where its locks cannot be switched off
// (MPICH: an 8 B allreduce takes 2.4 times as long). On one host all transport is work
// of the ranks' own cores, so a progress thread gains least there: not worth that price.
bool wants_progress_thread() {
  const std::optional<bool> setting = switch_setting("STRETTO_PROGRESS_THREAD");
  return setting.value_or(ThreadLevel::can_relax() || !all_ranks_on_this_host());
}

// Does the environment say which level the MPI gives? A program may count on it.
bool environment_sets_level() {
  constexpr const char* kNames[] = {
      "OMPI_MPI_THREAD_LEVEL",           // Open MPI, from 5.0 on also of MPI_Init_thread
      "MPIR_CVAR_DEFAULT_THREAD_LEVEL",  // MPICH, which has three prefixes for each variable
      "MPIR_PARAM_DEFAULT_THREAD_LEVEL", "MPICH_DEFAULT_THREAD_LEVEL",
      "I_MPI_THREAD_LEVEL_DEFAULT",  // Intel MPI
  };
  return std::ranges::any_of(kNames, [](const char* name) { return std::getenv(name) != nullptr; });
}

// Is more to be requested than the program asks for? Not by itself where no session will begin, nor
// for one rank that is started by hand, which waits for no other.
bool raises_level() {
  const bool by_itself = answers_for_several() && wants_progress_thread();
  if (!switch_setting("STRETTO_PROGRESS_THREAD").value_or(by_itself)) return false;
  // Threads of an MPI session may be at work already, and need the locks.
  return !environment_sets_level() && !ThreadLevel::is_locked();
}

}  // namespace

int level_to_request(int required) {
  session().requested = required;
  if (!native_available()) {
    if (!speaks_for_all()) return required;
    say("this program runs on %s, which this variant (%s) does not serve: it runs as it is, "
        "without Stretto",
        native_soname().c_str(), STRETTO_ABI);
    return required;
  }
  // What is set wrong is said before the MPI starts.
  static_cast<void>(overrides());
  static_cast<void>(learn_setting());
  static_cast<void>(tuned_rules());
  static_cast<void>(device_job::set());
  const bool raises = raises_level();
  Tracked::begin();
  if (raises) session().requested = MPI_THREAD_MULTIPLE;
  return session().requested;
}

void begin_session(int required) {
  if (!native_available()) return;
  int rank = 0;
  int size = 1;
  native().Comm_rank(native().comm_world, &rank);
  native().Comm_size(native().comm_world, &size);
  const RollCall roll = call_roll("accelerate", rank, size);
  lifeline::open(roll.line);
  int provided = MPI_THREAD_SINGLE;
  native().Query_thread(&provided);
  // Where more was requested the program gets what it asked for: it may do more with more.
  const bool was_raised = session().requested > required;
  const int level = was_raised ? std::min(provided, required) : provided;
  if (was_raised) set_program_level(level);
  if (!roll.all) {
    lifeline::close();  // nobody looks after this rank
    // Without the locks that the program did not ask for.
    if (was_raised) ThreadLevel().start(level, Locks::switched);
    return;
  }
  Engine& engine = Engine::get();
  const bool was_refused =
      session().requested == MPI_THREAD_MULTIPLE && provided < MPI_THREAD_MULTIPLE;
  if (wants_progress_thread() && was_refused && !environment_sets_level()) {
    say("this MPI refuses MPI_THREAD_MULTIPLE: nonblocking collectives are left to it, but for "
        "long sums and equal blocks of ranks that share memory");
  }
  if (!engine.open(level, wants_progress_thread())) {
    refuse(5, "this MPI has no communicator left in MPI_Init");
  }
  communicators::expect_world();
  communicators::attach(native().comm_world);
  communicators::attach(native().comm_self);
  const Communicator* world = communicators::find(native().comm_world);
  if (world != nullptr) engine.set_hosts(communicators::world_hosts());
  if (engine.oversubscribed()) make_native_yield();
  learned_file::read();
  session().begun = true;
  end_in_finalize();
  detail::active().store(true, std::memory_order_release);
}

void end_session() {
  if (detail::active().exchange(false, std::memory_order_acq_rel)) {
    Engine::get().close();
    counters::write_report();
    learned_file::write();
    communicators::finish();
  }
  lifeline::close();
}

void abandon_session() {
  Engine::get().stop_thread();
  counters::say_unwritten();
  detail::active().store(false, std::memory_order_release);
  lifeline::close();
}

bool ever_in_session() { return session().begun; }

}  // namespace stretto::intercept::accelerate
