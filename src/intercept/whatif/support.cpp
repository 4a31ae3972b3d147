#include "intercept/whatif/support.hpp"

#include <vector>

namespace stretto::intercept::whatif {

bool must_stay_awake() {
  Process& process = Process::get();
  if (process.mailbox.is_oversubscribed()) return true;
  const Lock lock(process.mutex);
  return Collectives::get().has_open();
}

bool may_start([[maybe_unused]] MPI_Comm comm) {
#if defined(OMPI_MAJOR_VERSION)
  int topology = MPI_UNDEFINED;
  native().Topo_test(comm, &topology);
  if (topology != MPI_CART) return true;
  int count = 0;
  native().Cartdim_get(comm, &count);
  const auto n = static_cast<std::size_t>(count);
  std::vector<int> sizes(n), periodic(n), here(n);
  native().Cart_get(comm, count, sizes.data(), periodic.data(), here.data());
  for (std::size_t i = 0; i < n; ++i) {
    if (periodic[i] != 0 && sizes[i] <= 2) return false;
  }
#endif
  return true;
}

CommPtr followed_collective(const Call& call) {
  if (call.comm == native().comm_null) return nullptr;
  const CommPtr comm = Process::get().comms.find(call.comm);
  // What there is not, neighbours or a root, is for the MPI to refuse.
  if (is_neighborhood(call.collective)) return comm && !comm->exchanges.empty() ? comm : nullptr;
  const bool has_root = comm && call.root >= 0 && call.root < comm->size();
  return has_root || !is_rooted(call.collective) ? comm : nullptr;
}

Planned plan_attach(const CommPtr& comm, MPI_Comm handle, const char* function, void* caller) {
  // As if they sent each other what the new one is called.
  const Call call{.collective = Collective::allgather,
                  .sendcount = sizeof(std::int64_t),
                  .sendtype = native().byte,
                  .recvcount = sizeof(std::int64_t),
                  .recvtype = native().byte,
                  .comm = handle};
  return Collectives::plan(comm, call, function, caller);
}

void gather_for_attach(MPI_Comm comm, const char* function, void* caller) {
  const CommPtr known = Process::get().comms.find(comm);
  if (!known) return;
  Planned planned = plan_attach(known, comm, function, caller);
  Collectives::get().finish(Collectives::get().begin(planned), false);
}

void conclude(Ticket ticket, int error, const MPI_Status& status) {
  if (error != MPI_SUCCESS) {
    withdraw(ticket);
    return;
  }
  ClockMessage message = Messages::get().complete(ticket, status);
  Messages::get().received({&message, 1});
}

void withdraw(Ticket ticket) {
  const Lock lock(Process::get().mutex);
  Messages::get().withdraw(ticket);
}

void saw(const CommPtr& comm, const MPI_Status& status, const MPI_Message* message) {
  if (status.MPI_SOURCE < 0) return;  // MPI_PROC_NULL
  ClockMessage seen = Messages::get().probed(comm, status, message != nullptr);
  VirtualTime& virtual_time = Process::get().virtual_time;
  const Lock lock(Process::get().mutex);
  if (virtual_time.is_recorded()) seen.taken = Messages::get().place_of(seen, message != nullptr);
  if (message == nullptr) {
    virtual_time.see(seen);
  } else {
    Messages::get().matched[key_of(*message)] = virtual_time.keep(seen);
  }
}

std::optional<ClockMessage> take_matched(MPI_Message message) {
  const Lock lock(Process::get().mutex);
  auto& matched = Messages::get().matched;
  const auto found = matched.find(key_of(message));
  if (found == matched.end()) return {};
  const ClockMessage taken = found->second;
  matched.erase(found);
  return taken;
}

void polled() {
  Process& process = Process::get();
  int times = 0;
  process.rest(times);
  const Lock lock(process.mutex);
  process.poll_failed();
}

}  // namespace stretto::intercept::whatif
