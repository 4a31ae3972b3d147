// What brings ranks of another MPI_COMM_WORLD: from then on each new communicator is checked that
// was made of none that Stretto knows, as those need not run Stretto.

#include "intercept/accelerate/hooks.hpp"

namespace stretto::intercept::accelerate {
namespace {

// Calls the MPI's function with its arguments as they came.
constexpr auto expecting_foreign_ranks = []<class... Words>(const Reached& what, void* /*caller*/,
                                                            Words... words) {
  if (in_session()) communicators::expect_foreign_ranks();
  return reinterpret_cast<Word (*)(Words...)>(what.real)(words...);
};

}  // namespace
}  // namespace stretto::intercept::accelerate

using namespace stretto::intercept;
using namespace stretto::intercept::accelerate;

#define STRETTO_FOREIGN(name, parameters, ...)                                                    \
  static const Reached& reached_##name() {                                                        \
    static const Reached reached = reach("MPI_" #name);                                           \
    return reached;                                                                               \
  }                                                                                               \
  STRETTO_ENTRY Word enter_##name parameters __asm__("MPI_" #name);                               \
  STRETTO_ENTRY Word enter_P##name parameters __asm__("PMPI_" #name);                             \
  Word enter_##name parameters {                                                                  \
    return enter(reached_##name(), __builtin_return_address(0), expecting_foreign_ranks,          \
                 __VA_ARGS__);                                                                    \
  }                                                                                               \
  Word enter_P##name parameters {                                                                 \
    return enter_profiled(reached_##name(), __builtin_return_address(0), expecting_foreign_ranks, \
                          __VA_ARGS__);                                                           \
  }

extern "C" {

STRETTO_FOREIGN(Comm_spawn,
                (Word command, Word argv, Word maxprocs, Word info, Word root, Word comm,
                 Word intercomm, Word errors),
                command, argv, maxprocs, info, root, comm, intercomm, errors)
STRETTO_FOREIGN(Comm_spawn_multiple,
                (Word count, Word commands, Word argvs, Word maxprocs, Word infos, Word root,
                 Word comm, Word intercomm, Word errors),
                count, commands, argvs, maxprocs, infos, root, comm, intercomm, errors)
STRETTO_FOREIGN(Comm_accept, (Word port, Word info, Word root, Word comm, Word intercomm), port,
                info, root, comm, intercomm)
STRETTO_FOREIGN(Comm_connect, (Word port, Word info, Word root, Word comm, Word intercomm), port,
                info, root, comm, intercomm)
STRETTO_FOREIGN(Comm_join, (Word descriptor, Word intercomm), descriptor, intercomm)

}  // extern "C"
