#include "engine/channel.hpp"

#include <algorithm>

#include "base/config.hpp"
#include "transport/mpi/spared.hpp"

namespace stretto {
namespace {

// Tags go from 0 up to this (MPI 4.1, 11.2.1). STRETTO_TAG_BITS asks for fewer, which shows what
// happens where an MPI has few.
std::int64_t highest_tag() {
  void* value = nullptr;
  int found = 0;
  native().Comm_get_attr(native().comm_world, MPI_TAG_UB, static_cast<void*>(&value), &found);
  const std::int64_t highest = found != 0 ? *static_cast<int*>(value) : 32767;
  const auto bits = number_setting("STRETTO_TAG_BITS", 13);
  return bits && *bits < 31 ? std::min(highest, (std::int64_t{1} << *bits) - 1) : highest;
}

}  // namespace

MPI_Comm communicator_like(MPI_Comm of) {
  const Spared spared(of);
  MPI_Group group{};
  MPI_Comm comm{};
  if (native().Comm_group(of, &group) != MPI_SUCCESS) return native().comm_null;
  // Not MPI_Comm_dup: that would run the program's attribute copy callbacks.
  const int error = native().Comm_create(of, group, &comm);
  native().Group_free(&group);
  // MPICH returns success to who has an error handler that comes back.
  if (error != MPI_SUCCESS || comm == MPI_Comm{}) comm = native().comm_null;
  if (comm != native().comm_null) native().Comm_set_errhandler(comm, native().errors_return);
  return comm;
}

std::shared_ptr<Channel> Channel::make(MPI_Comm of) {
  MPI_Comm comm = communicator_like(of);
  if (comm == native().comm_null) return nullptr;
  const TagLayout tags = TagLayout::up_to(highest_tag());
  // NOLINTNEXTLINE(modernize-make-shared): its ids cannot be moved.
  return std::shared_ptr<Channel>(new Channel{comm, tags, ContextIds(tags.ids())});
}

void Channel::free() {
  // Done already where a program under the drop-in calls stretto_finalize too.
  if (comm != native().comm_null) native().Comm_free(&comm);
}

}  // namespace stretto
