// MPI sessions (MPI 4.0). Stretto needs MPI_COMM_WORLD, which a program that never calls
// MPI_Init has not: its collectives are the MPI's.

#include "base/config.hpp"
#include "base/log.hpp"
#include "intercept/accelerate/hooks.hpp"

#if MPI_VERSION >= 4

namespace stretto::intercept::accelerate {
namespace {

// Once a job, to those who want to know what Stretto did.
void say_why_nothing_was_done() {
  const bool wanted = setting("STRETTO_RUN_COUNTERS").has_value() ||
                      switch_setting("STRETTO_VERBOSE").value_or(false);
  if (!wanted || setting("PMI_RANK").value_or("0") != "0") return;
  say("this program uses MPI sessions and not MPI_Init: its collectives are left to the MPI, and "
      "nothing is counted");
}

constexpr auto finalize = [](const Reached& what, void* /*caller*/, Word session) {
  static std::atomic<bool> said{false};
  // Also after the MPI_Finalize of a program with both: nothing is left out there.
  if (!ever_in_session() && !said.exchange(true)) say_why_nothing_was_done();
  return reinterpret_cast<Word (*)(Word)>(what.real)(session);
};

}  // namespace
}  // namespace stretto::intercept::accelerate

using namespace stretto::intercept;
using namespace stretto::intercept::accelerate;

extern "C" {

static const Reached& reached() {
  static const Reached session_finalize = reach("MPI_Session_finalize");
  return session_finalize;
}

STRETTO_ENTRY Word enter_Session_finalize(Word session) __asm__("MPI_Session_finalize");
STRETTO_ENTRY Word enter_PSession_finalize(Word session) __asm__("PMPI_Session_finalize");
Word enter_Session_finalize(Word session) {
  return enter(reached(), __builtin_return_address(0), finalize, session);
}
Word enter_PSession_finalize(Word session) {
  return enter_profiled(reached(), __builtin_return_address(0), finalize, session);
}

}  // extern "C"

#endif
