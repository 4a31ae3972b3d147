#include "intercept/profile/session.hpp"

#include "base/config.hpp"
#include "base/log.hpp"
#include "intercept/profile/call_recorder.hpp"
#include "intercept/profile/report.hpp"
#include "intercept/profile/snapshots.hpp"
#include "intercept/shared/caller.hpp"
#include "intercept/shared/entry.hpp"
#include "intercept/shared/python.hpp"
#include "intercept/shared/roll_call.hpp"
#include "intercept/shared/this_rank.hpp"
#include "mpi/world.hpp"

namespace stretto::intercept::profile {
namespace {

// This rank's.
struct State {
  ProfileSession session;
  MPI_Comm own{};
};
State& state() { return of_rank<State>(); }

}  // namespace

void begin_session() {
  if (!native_available()) {
    if (!speaks_for_all()) return;
    say("this program runs on %s, which this variant (%s) does not serve: it runs as it is, "
        "without a profile",
        native_soname().c_str(), STRETTO_ABI);
    return;
  }
  if (is_spawned()) {
    say("ranks of MPI_Comm_spawn are not profiled");
    return;
  }
  if (!is_everywhere("profile")) return;
  find_bindings();
  find_python();
  const long traced = number_setting("STRETTO_PROFILE_TRACE", 0).value_or(0);
  const long depth = number_setting("STRETTO_PROFILE_DEPTH", 1).value_or(1);
  CallRecorder::get().open(static_cast<std::size_t>(traced), static_cast<int>(depth));
  auto& [session, own] = state();
  own = copy_of_world();
  session.clocks_at_begin = sample_clocks(own);
  session.rank = RankDescription::here();
  session.begin = now_ns();
  Snapshots::get().open(session, number_setting("STRETTO_PROFILE_EVERY", 0).value_or(0));
  detail::active().store(true, std::memory_order_release);
}

void end_session() {
  if (!detail::active().load(std::memory_order_acquire)) return;
  detail::active().store(false, std::memory_order_release);
  auto& [session, own] = state();
  session.end = now_ns();
  session.clocks_at_end = sample_clocks(own);  // for which a rank may not come
  Snapshots::get().close();
  CallRecorder::get().close();
  write_report(session, CallRecorder::get());
  Snapshots::get().remove();
  native().Comm_free(&own);
}

namespace {

// Written by a thread of its own, so that nothing is that this one may not do here.
void break_off(int why) {
  if (!is_rank_process() || !detail::active().load(std::memory_order_acquire)) return;
  Snapshots::get().ask(why);
  Snapshots::get().await();
}

// After all that exit() calls of the program's, which may finalize there.
[[gnu::destructor]] void at_exit() { break_off(Snapshots::kExit); }

}  // namespace

void before_abort() { break_off(Snapshots::kAbort); }

}  // namespace stretto::intercept::profile
