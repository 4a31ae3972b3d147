#include "intercept/profile/session.hpp"

#include "base/config.hpp"
#include "base/log.hpp"
#include "intercept/profile/call_recorder.hpp"
#include "intercept/profile/report.hpp"
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
  CallRecorder::get().open(static_cast<std::size_t>(traced));
  auto& [session, own] = state();
  own = copy_of_world();
  session.clocks_at_begin = sample_clocks(own);
  session.begin = now_ns();
  detail::active().store(true, std::memory_order_release);
}

void end_session() {
  if (!detail::active().load(std::memory_order_acquire)) return;
  detail::active().store(false, std::memory_order_release);
  auto& [session, own] = state();
  session.end = now_ns();
  session.clocks_at_end = sample_clocks(own);
  CallRecorder::get().close();
  write_report(session, CallRecorder::get());
  native().Comm_free(&own);
}

}  // namespace stretto::intercept::profile
