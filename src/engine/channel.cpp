#include "engine/channel.hpp"

#include <algorithm>

#include "base/config.hpp"
#include "mpi/communicator_like.hpp"
#include "mpi/opaque.hpp"

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

int rank_on(MPI_Comm comm) {
  int rank = 0;
  native().Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  native().Comm_size(comm, &size);
  return size;
}

class MpiGroup final : public Transport::Group {
 public:
  explicit MpiGroup(MPI_Comm comm) : Group(rank_on(comm), size_of(comm), opaque(comm)) {}
  void allgather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    const auto bytes = static_cast<int>(mine.size());
    native().Allgather(mine.data(), bytes, native().byte, all.data(), bytes, native().byte,
                       comm_of(handle));
  }
  // By the first of them.
  void allgather_among(std::span<const int> ranks, std::span<const std::byte> mine,
                       std::span<std::byte> all) const override {
    const auto bytes = static_cast<int>(mine.size());
    const auto all_bytes = static_cast<int>(all.size());
    const MPI_Comm comm = comm_of(handle);
    MPI_Datatype const byte = native().byte;
    if (rank != ranks.front()) {
      native().Send(mine.data(), bytes, byte, ranks.front(), 0, comm);
      native().Recv(all.data(), all_bytes, byte, ranks.front(), 0, comm, MPI_STATUS_IGNORE);
      return;
    }
    std::ranges::copy(mine, all.begin());
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      native().Recv(all.data() + i * mine.size(), bytes, byte, ranks[i], 0, comm,
                    MPI_STATUS_IGNORE);
    }
    for (const int other : ranks.subspan(1)) {
      native().Send(all.data(), all_bytes, byte, other, 0, comm);
    }
  }
};

}  // namespace

std::shared_ptr<Channel> Channel::make(MPI_Comm of, const Transports& transports) {
  MPI_Comm comm = communicator_like(of);
  if (comm == native().comm_null) return nullptr;
  const TagLayout tags = TagLayout::up_to(highest_tag());
  // NOLINTNEXTLINE(modernize-make-shared): its ids cannot be moved.
  auto channel = std::shared_ptr<Channel>(new Channel{comm, tags, ContextIds(tags.ids())});
  const MpiGroup group(comm);
  for (const auto& transport : transports) {
    channel->carriers.push_back({transport.get(), transport->join(group)});
  }
  return channel;
}

void Channel::free() {
  // Done already where a program in mode accelerate calls stretto_finalize too.
  if (comm == native().comm_null) return;
  for (const auto& [transport, joined] : carriers) transport->leave(joined.group);
  native().Comm_free(&comm);
}

}  // namespace stretto
