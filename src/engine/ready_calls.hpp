// The nonblocking calls of a communicator that have been made before, each with its operation,
// which rests between calls. Programs repeat their calls, and what there is to decide, to look up
// and to allocate for one takes longer than all else where it is short.
#pragma once

#include <array>
#include <cstdint>

#include "mpi/call.hpp"

namespace stretto {

class Operation;

// What calls that differ in their buffers alone have in common. Its types and its operation are
// predefined ones: others' handles may come to mean something else.
struct CallKey {
  Collective collective{};
  int root = 0;
  Count sendcount = 0;
  Count recvcount = 0;
  MPI_Datatype sendtype{};
  MPI_Datatype recvtype{};
  MPI_Op op{};
  bool sends_in_place = false;
  bool receives_in_place = false;

  static CallKey of(const Call& call) {
    return {.collective = call.collective,
            .root = call.root,
            .sendcount = call.sendcount,
            .recvcount = call.recvcount,
            .sendtype = call.sendtype,
            .recvtype = call.recvtype,
            .op = call.op,
            .sends_in_place = call.sendbuf == MPI_IN_PLACE,
            .receives_in_place = call.recvbuf == MPI_IN_PLACE};
  }
  friend bool operator==(const CallKey&, const CallKey&) = default;
};

// Used by one thread at a time, as no two may call collectives of one communicator at once (MPI
// 4.1, 6.14); operations come to rest on any.
class ReadyCalls {
 public:
  ReadyCalls() = default;
  ~ReadyCalls();
  ReadyCalls(const ReadyCalls&) = delete;
  ReadyCalls& operator=(const ReadyCalls&) = delete;

  // The operation of such a call, which rests; nullptr where there is none.
  [[nodiscard]] Operation* find(const CallKey& key);
  // `operation`, which may be kept, runs such a call. Another's may have to go for it; where those
  // of all others are under way it is not kept.
  void keep(const CallKey& key, Operation& operation);

 private:
  static constexpr std::size_t kCalls = 32;
  // Where one may be: as many places, from one that its key says.
  static constexpr std::size_t kWays = 4;

  struct ReadyCall {
    CallKey key;
    Operation* operation = nullptr;
    bool is_used = false;  // since others have last wanted its place
  };

  [[nodiscard]] static std::size_t first_place(const CallKey& key) {
    const auto counts =
        static_cast<std::uint64_t>(key.sendcount) * 3 + static_cast<std::uint64_t>(key.recvcount);
    const auto kind =
        static_cast<std::uint64_t>(key.collective) * 64 + static_cast<std::uint64_t>(key.root) * 7;
    return ((counts << 12) + kind) * 0x9E3779B97F4A7C15U >> 59;
  }

  std::array<ReadyCall, kCalls> calls_{};
};

}  // namespace stretto
