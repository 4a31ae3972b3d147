#include "api/device_buffers.hpp"

#include <atomic>
#include <cstdlib>
#include <string>

#include "api/arguments.hpp"
#include "base/device_memory.hpp"
#include "base/log.hpp"
#include "engine/agreement.hpp"
#include "engine/device_job.hpp"

namespace stretto::device_buffers {
namespace {

bool is_devices(const void* base, MPI_Datatype type, MPI_Aint offset) {
  // Where the data begin: with MPI_BOTTOM only the type, or a displacement, says.
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  native().Type_get_true_extent(type, &lower_bound, &extent);
  const auto address =
      reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(lower_bound + offset);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI_BOTTOM is no object one may add to.
  return device_memory::is_devices(reinterpret_cast<const void*>(address));
}

// One of a call's buffers, as the call describes it.
struct CallBuffer {
  const void* base = nullptr;
  Count count = 0;
  Numbers counts;
  Numbers displs;
  MPI_Datatype type{};
  const MPI_Datatype* types = nullptr;

  // Of `number` blocks, where they differ. Of a block's memory its first byte speaks for all.
  [[nodiscard]] bool is_on_device(int number) const {
    if (!displs) return has_data(number) && is_devices(base, type, 0);
    MPI_Aint unit = 1;
    if (types == nullptr && number > 0) unit = Element::of(type).stride;
    for (std::size_t i = 0; i < static_cast<std::size_t>(number); ++i) {
      if (counts[i] == 0) continue;
      if (is_devices(base, types == nullptr ? type : types[i], displs[i] * unit)) return true;
    }
    return false;
  }

 private:
  // Reduce-scatter has counts, and its blocks lie one behind the other.
  [[nodiscard]] bool has_data(int number) const {
    if (!counts) return count > 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(number); ++i) {
      if (counts[i] > 0) return true;
    }
    return false;
  }
};

// A reduction describes both its buffers as the receive one.
Used used_by_reduction(const Call& call, const Communicator& comm) {
  const bool rooted = is_rooted(call.collective);
  const bool root = rooted && is_root(call, comm);
  if (comm.is_inter() && rooted) return {.send = !root && !is_bystander(call, comm), .recv = root};
  return {.send = !is_in_place(call), .recv = root || !rooted};
}

bool has_here(const Call& call, const Communicator& comm) {
  const BlockCounts number = blocks(call, comm);
  if (reduces(call.collective)) {
    const Used used = used_by_reduction(call, comm);
    const auto holds = [&](const void* base) {
      return CallBuffer{base, call.recvcount, call.recvcounts, {}, call.recvtype, nullptr}
          .is_on_device(number.recv);
    };
    return (used.send && holds(call.sendbuf)) || (used.recv && holds(call.recvbuf));
  }
  const Used used = used_buffers(call, comm);
  const CallBuffer send{call.sendbuf,    call.sendcount, call.sendcounts,
                        call.senddispls, call.sendtype,  call.sendtypes};
  const CallBuffer recv{call.recvbuf,    call.recvcount, call.recvcounts,
                        call.recvdispls, call.recvtype,  call.recvtypes};
  return (used.send && send.is_on_device(number.send)) ||
         (used.recv && recv.is_on_device(number.recv));
}

bool agree_on_any(bool here, const Communicator& comm) {
  std::uint64_t nowhere = here ? 0 : 1;
  // An error is the MPI's to report, which it will of the call itself.
  const int error = keep_common_bits({.comm = comm.user, .rank = comm.rank}, {&nowhere, 1});
  return error != MPI_SUCCESS || nowhere == 0;
}

[[noreturn]] void stop(const Call& call) {
  int rank = 0;
  native().Comm_rank(native().comm_world, &rank);
  say_last(
      "rank %d gives %s a buffer in a GPU's memory, of which this job showed no sign in MPI_Init: "
      "run it with STRETTO_DEVICE_BUFFERS=on on all ranks, and such calls are left to the MPI",
      rank, std::string(name_of(call.collective)).c_str());
  native().Abort(native().comm_world, 5);
  std::_Exit(5);
}

}  // namespace

bool has_any(const Call& call, const Communicator& comm) {
  if (call.collective == Collective::barrier) return false;
  const bool agrees = comm.around.device_buffers;
  if (!agrees && device_job::set() == false) return false;
  const bool here = device_memory::has_runtime() && has_here(call, comm);
  if (agrees) return agree_on_any(here, comm);
  if (here) stop(call);
  return false;
}

void report() {
  static std::atomic<bool> reported{false};
  if (reported.load(std::memory_order_relaxed) || reported.exchange(true)) return;
  int rank = 0;
  native().Comm_rank(native().comm_world, &rank);
  if (rank != 0) return;
  say("this job may hand MPI buffers in a GPU's memory: calls that do are left to the MPI, and all "
      "nonblocking and persistent ones (STRETTO_DEVICE_BUFFERS=off if none ever does)");
}

}  // namespace stretto::device_buffers
