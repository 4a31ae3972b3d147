#include "api/root_sends.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "api/arguments.hpp"
#include "api/device_buffers.hpp"
#include "base/clock.hpp"
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
  // Of all of them, as far as it matters: what roots say with data is no longer.
  [[nodiscard]] Count bytes() const { return element_bytes() * std::min(count, kMostBytes + 1); }
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
  return data.is_plain() && data.base == nullptr && data.bytes() > 0;
}

// The root's data: `blocks` of so many elements.
int show(const Elements& data, Count blocks, Count bytes, RootSends& sends) {
  if (data.is_plain()) {
    sends.show(data.at(0), size_of(bytes));
    return MPI_SUCCESS;
  }
  Room room{};
  const int error = copy(data.piece(0, data.count * blocks), packed_at(room.data(), bytes));
  sends.show(room.data(), size_of(bytes));  // the others wait for it, whatever is in it
  return error;
}

// Packed data that came, with which no more need come than there is room for. Returns an MPI error
// code.
int unpack(const std::byte* from, Count bytes, const Elements& to) {
  const Count element = to.element_bytes();
  if (bytes > to.bytes()) return MPI_ERR_TRUNCATE;
  if (bytes == 0) return MPI_SUCCESS;
  if (bytes % element == 0) return copy(packed_at(from, bytes), to.piece(0, bytes / element));
  return copy_by_message(packed_at(from, bytes), to.piece(0, to.count));  // part of an element
}

// Another rank's: `bytes` that the root sent it. Returns an MPI error code.
int read(const Elements& data, const RootSends& sends, int root, std::size_t offset, Count bytes) {
  if (data.is_plain()) {
    const Count room = data.bytes();
    sends.read(root, offset, data.at(0), size_of(std::min(bytes, room)));
    return bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  }
  Room sent{};
  sends.read(root, offset, sent.data(), size_of(bytes));
  return unpack(sent.data(), bytes, data);
}

// The root's own block of a scatter, where it is not to stay.
int keep_own(const Elements& from, const Elements& to, Rank rank) {
  const Count bytes = from.bytes();
  if (from.is_plain() && to.is_plain()) {
    const Count room = to.bytes();
    std::memmove(to.at(0), from.at(from.count * rank), size_of(std::min(bytes, room)));
    return bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  }
  Room own{};
  const int error = copy(from.piece(from.count * rank, from.count), packed_at(own.data(), bytes));
  return error != MPI_SUCCESS ? error : unpack(own.data(), bytes, to);
}

// How long a root waits for ranks that are behind by a whole ring. Then what it sends goes in
// another way, in which it may go on at once.
constexpr std::int64_t kPatienceNs = 200'000;

// Waits for room for so many bytes; if there is none in time, for a word. Is there?
bool find_room(RootSends& sends, Count bytes) {
  if (sends.has_room(size_of(bytes))) [[likely]]
    return true;
  Engine& engine = Engine::get();
  const std::int64_t until = now_ns() + kPatienceNs;
  engine.wait_for_store(
      [&sends, bytes, until] { return sends.has_room(size_of(bytes)) || now_ns() > until; });
  if (sends.has_room(size_of(bytes))) return true;
  engine.wait_for_store([&sends] { return sends.has_room(0); });
  return false;
}

bool is_ruled_out(const Call& call, const Communicator& comm, Count bytes) {
  const Query query{.collective = call.collective, .size = comm.size, .bytes = bytes};
  const auto collective = static_cast<std::size_t>(call.collective);
  return is_better_by_rule(query, comm.around, *comm.by_root[collective]);
}

std::optional<int> run_root(const Call& call, Communicator& comm, const Elements& sent,
                            const Elements& received) {
  if (sent.bytes() == 0) return MPI_SUCCESS;
  if (is_nowhere(sent) || is_nowhere(received)) return {};
  RootSends& sends = *comm.root_sends;
  const bool scatters = call.collective == Collective::scatter;
  const Count blocks = scatters ? comm.size : 1;
  const Count most = kMostBytes / blocks;
  const Count block = sent.bytes();
  const bool goes = block <= most && !is_ruled_out(call, comm, block);
  if (!find_room(sends, goes ? block * blocks : 0) || !goes) {
    sends.show_elsewhere();
    return {};
  }
  if (device_buffers::has_any(call, comm)) return {};  // it has ended the program
  int error = show(sent, blocks, block * blocks, sends);
  if (scatters && !is_in_place(call) && error == MPI_SUCCESS) {
    error = keep_own(sent, received, comm.rank);
  }
  Engine::get().keep_up();
  return error;
}

// `wrong`: what is wrong with its arguments. What the root says is read all the same.
std::optional<int> run_other(const Call& call, Communicator& comm, const Elements& received,
                             int wrong) {
  RootSends& sends = *comm.root_sends;
  const int root = call.root;
  if (!sends.is_shown(root)) {
    Engine::get().wait_for_store([&sends, root] { return sends.is_shown(root); });
  }
  if (sends.is_elsewhere(root)) {
    sends.finish(root);
    return {};
  }
  int error = wrong;
  if (error == MPI_SUCCESS) {
    if (device_buffers::has_any(call, comm)) return {};
    const bool scatters = call.collective == Collective::scatter;
    const Count bytes = static_cast<Count>(sends.bytes(root)) / (scatters ? comm.size : 1);
    error = read(received, sends, root, size_of(scatters ? bytes * comm.rank : 0), bytes);
  }
  sends.finish(root);
  Engine::get().keep_up();
  return error;
}

}  // namespace

std::optional<int> run(const Call& call, Communicator& comm) {
  const bool scatters = call.collective == Collective::scatter;
  const bool is_root = call.root == comm.rank;
  // Where there is nothing to send MPIs return at once, whatever the others do.
  if ((scatters && is_root ? call.sendcount : call.recvcount) == 0) return {};
  const int wrong = check(call, comm);
  if (wrong != MPI_SUCCESS) {
    const bool is_other = !is_root && call.root >= 0 && call.root < comm.size;
    return is_other ? run_other(call, comm, {}, wrong) : std::nullopt;
  }
  const auto elements = [&comm](void* base, Count count, MPI_Datatype type) {
    return Elements{base, count, type, plain_bytes(type, comm.plain_types)};
  };
  Elements received;
  if (!(scatters && is_root && is_in_place(call))) {
    received = elements(call.recvbuf, call.recvcount, call.recvtype);
  }
  if (!is_root) {
    // Elements without bytes: other ranks may say that by a count of 0, and do not wait either.
    // Open MPI would send messages of them, which those find at their next call.
    if (received.bytes() == 0) return MPI_SUCCESS;
    return run_other(call, comm, received, is_nowhere(received) ? MPI_ERR_BUFFER : MPI_SUCCESS);
  }
  const Elements sent =
      scatters ? elements(const_cast<void*>(call.sendbuf), call.sendcount, call.sendtype)
               : received;
  return run_root(call, comm, sent, received);
}

}  // namespace stretto::root_sends
