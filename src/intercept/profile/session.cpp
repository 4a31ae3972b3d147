#include "intercept/profile/session.hpp"

#include "base/log.hpp"
#include "intercept/profile/caller.hpp"
#include "intercept/profile/recorder.hpp"
#include "intercept/profile/report.hpp"

namespace stretto::intercept::profile {
namespace {

Session session;

void begin() {
  if (!native_available()) {
    say("this program runs on %s, which this variant (%s) does not serve: it runs as it is, "
        "without a profile",
        native_soname().c_str(), STRETTO_ABI);
    return;
  }
  find_bindings();
  Recorder::get().open();
  session.clocks_at_begin = look_at_clocks();
  session.begin = now_ns();
  detail::active.store(true, std::memory_order_release);
}

void end() {
  detail::active.store(false, std::memory_order_release);
  session.end = now_ns();
  session.clocks_at_end = look_at_clocks();
  write_report(session, Recorder::get());
  Recorder::get().close();
}

}  // namespace

int on_Init(decltype(&PMPI_Init) real, int* argc, char*** argv) {
  const int error = real(argc, argv);
  if (error == MPI_SUCCESS) begin();
  return error;
}

int on_Init_thread(decltype(&PMPI_Init_thread) real, int* argc, char*** argv, int required,
                   int* provided) {
  const int error = real(argc, argv, required, provided);
  if (error == MPI_SUCCESS) begin();
  return error;
}

int on_Finalize(decltype(&PMPI_Finalize) real) {
  if (is_active()) end();
  return real();
}

}  // namespace stretto::intercept::profile
