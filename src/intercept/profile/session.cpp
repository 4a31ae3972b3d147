#include "intercept/profile/session.hpp"

#include "base/config.hpp"
#include "base/log.hpp"
#include "intercept/calls/caller.hpp"
#include "intercept/calls/python.hpp"
#include "intercept/profile/recorder.hpp"
#include "intercept/profile/report.hpp"
#include "intercept/roll_call.hpp"
#include "intercept/this_rank.hpp"
#include "mpi/world.hpp"

namespace stretto::intercept::profile {
namespace {

Session session;
MPI_Comm own{};

void begin() {
  if (!native_available()) {
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
  Recorder::get().open(static_cast<std::size_t>(traced));
  own = copy_of_world();
  session.clocks_at_begin = look_at_clocks(own);
  session.begin = now_ns();
  detail::active().store(true, std::memory_order_release);
}

void end() {
  detail::active().store(false, std::memory_order_release);
  session.end = now_ns();
  session.clocks_at_end = look_at_clocks(own);
  Recorder::get().close();
  write_report(session, Recorder::get());
  native().Comm_free(&own);
}

}  // namespace

int on_Init(decltype(&PMPI_Init) real, int* argc, char*** argv) {
  const int error = real(argc, argv);
  if (error != MPI_SUCCESS) return error;
  become_rank();
  begin();
  return error;
}

int on_Init_thread(decltype(&PMPI_Init_thread) real, int* argc, char*** argv, int required,
                   int* provided) {
  const int error = real(argc, argv, required, provided);
  if (error != MPI_SUCCESS) return error;
  become_rank();
  begin();
  return error;
}

int on_Finalize(decltype(&PMPI_Finalize) real) {
  if (detail::active().load(std::memory_order_acquire)) end();
  return real();
}

}  // namespace stretto::intercept::profile
