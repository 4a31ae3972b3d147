#include "api/root_sends.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "api/arguments.hpp"
#include "api/device_buffers.hpp"
#include "mpi/element.hpp"
#include "mpi/type_contents.hpp"
#include "selection/in_memory.hpp"

namespace stretto::root_sends {
namespace {

using shm::RootSends;

constexpr auto kMostBytes = static_cast<Count>(RootSends::kMostBytes);
static_assert(kMostBytes == kMostByRoot);
using Room = std::array<std::byte, RootSends::kMostBytes>;

std::size_t size_of(Count bytes) { return static_cast<std::size_t>(bytes); }

// Elements of one type in a buffer of the program's.
struct Elements {
  void* base = nullptr;
  Count count = 0;
  MPI_Datatype type{};
  Count plain = PlainTypes::kNotPlain;  // bytes of an element that is plain memory

  [[nodiscard]] bool is_plain() const { return plain != PlainTypes::kNotPlain; }
  [[nodiscard]] Count element_bytes() const { return is_plain() ? plain : Element::of(type).bytes; }
  [[nodiscard]] std::byte* at(Count first) const {
    return static_cast<std::byte*>(base) + plain * first;
  }
  [[nodiscard]] Piece piece(Count first, Count number) const {
    return Block{base, Element::of(type)}.piece({first, number});
  }
};

// Predefined types are looked at once: other handles may come to mean other types.
Count plain_bytes(MPI_Datatype type, PlainTypes& known) {
  if (const auto bytes = known.find(type)) return *bytes;
  if (!is_plain(type)) return PlainTypes::kNotPlain;
  const Count bytes = Element::of(type).bytes;
  if (combiner_of(type) == MPI_COMBINER_NAMED) known.add(type, bytes);
  return bytes;
}

// An error, which the MPI is to find. Other types may have addresses in them (MPI_BOTTOM).
bool is_nowhere(const Elements& data) {
  return data.is_plain() && data.base == nullptr && data.plain * data.count > 0;
}

Piece packed(const std::byte* at, Count bytes) {
  return Block{const_cast<std::byte*>(at), Element::packed(bytes)}.piece({0, 1});
}

// The root's data: `blocks` of so many elements.
int show(const Elements& data, Count blocks, Count bytes, RootSends& sends) {
  if (data.is_plain()) {
    sends.show(data.at(0), size_of(bytes));
    return MPI_SUCCESS;
  }
  Room room{};
  const int error = bytes == 0
                        ? MPI_SUCCESS
                        : copy(data.piece(0, data.count * blocks), packed(room.data(), bytes));
  sends.show(room.data(), size_of(bytes));  // the others wait for it, whatever is in it
  return error;
}

// Another rank's: `bytes` that the root sent it. Returns an MPI error code.
int read(const Elements& data, const RootSends& sends, int root, std::size_t offset, Count bytes) {
  const Count element = data.element_bytes();
  const Count room = element * data.count;
  if (data.is_plain()) {
    sends.read(root, offset, data.at(0), size_of(std::min(bytes, room)));
    return bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  }
  if (bytes > room || (bytes > 0 && bytes % element != 0)) return MPI_ERR_TRUNCATE;
  if (bytes == 0) return MPI_SUCCESS;
  Room sent{};
  sends.read(root, offset, sent.data(), size_of(bytes));
  return copy(packed(sent.data(), bytes), data.piece(0, bytes / element));
}

// The root's own block of a scatter, where it is not to stay.
int keep_own(const Elements& from, const Elements& to, Rank rank) {
  if (from.count == 0) return MPI_SUCCESS;
  if (from.is_plain() && to.is_plain()) {
    const Count bytes = from.plain * from.count;
    const Count room = to.plain * to.count;
    std::memcpy(to.at(0), from.at(from.count * rank), size_of(std::min(bytes, room)));
    return bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  }
  return copy(from.piece(from.count * rank, from.count), to.piece(0, to.count));
}

}  // namespace

std::optional<int> run(const Call& call, Communicator& comm) {
  if (check(call, comm) != MPI_SUCCESS) return {};
  const bool scatters = call.collective == Collective::scatter;
  const bool is_root = call.root == comm.rank;
  const Count blocks = scatters ? comm.size : 1;
  PlainTypes& types = comm.plain_types;
  Elements received;
  if (!(scatters && is_root && is_in_place(call))) {
    received = {.base = call.recvbuf,
                .count = call.recvcount,
                .type = call.recvtype,
                .plain = plain_bytes(call.recvtype, types)};
  }
  RootSends& sends = *comm.root_sends;
  Engine& engine = Engine::get();
  if (is_root) {
    Elements sent = received;
    if (scatters) {
      sent = {.base = const_cast<void*>(call.sendbuf),
              .count = call.sendcount,
              .type = call.sendtype,
              .plain = plain_bytes(call.sendtype, types)};
    }
    if (is_nowhere(sent) || is_nowhere(received)) return {};
    const Count most = kMostBytes / blocks;
    const bool goes = sent.count <= most && sent.element_bytes() * sent.count <= most;
    const Count bytes = goes ? sent.element_bytes() * sent.count * blocks : 0;
    if (!sends.has_room(size_of(bytes))) [[unlikely]] {
      engine.wait_for_store([&sends, bytes] { return sends.has_room(size_of(bytes)); });
    }
    if (!goes) {
      sends.show_elsewhere();
      return {};
    }
    if (device_buffers::has_any(call, comm)) return {};  // it has ended the program
    int error = show(sent, blocks, bytes, sends);
    if (scatters && !is_in_place(call) && error == MPI_SUCCESS) {
      error = keep_own(sent, received, comm.rank);
    }
    engine.keep_up();
    return error;
  }
  if (is_nowhere(received)) return {};
  const int root = call.root;
  if (!sends.is_shown(root)) {
    engine.wait_for_store([&sends, root] { return sends.is_shown(root); });
  }
  if (sends.is_elsewhere(root)) {
    sends.finish(root);
    return {};
  }
  if (device_buffers::has_any(call, comm)) return {};
  const Count bytes = static_cast<Count>(sends.bytes(root)) / blocks;
  const int error = read(received, sends, root, size_of(scatters ? bytes * comm.rank : 0), bytes);
  sends.finish(root);
  engine.keep_up();
  return error;
}

}  // namespace stretto::root_sends
