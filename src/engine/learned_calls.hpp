// What a communicator's blocking calls have taught, and of what kind they are.
#pragma once

#include <array>
#include <memory>

#include "mpi/addition.hpp"
#include "mpi/call.hpp"
#include "selection/learning.hpp"

namespace stretto {

// What a rank shows the others of its host in an exchange without a message, in plain memory, and
// how a reduction's are added up.
struct PlainBlock {
  Count bytes = 0;         // of an alltoall for each rank
  Addition add = nullptr;  // without, the MPI reduces
};

// A call that has been looked at: one with these arguments is of the same kind. There is none with
// types or operations that the program has made, as their handles may come to mean others.
struct KnownCall {
  Collective collective{};
  Form form{};
  Count sendcount = -1;
  Count recvcount = -1;
  MPI_Datatype sendtype{};
  MPI_Datatype recvtype{};
  MPI_Op op{};
  bool is_root = false;
  bool is_in_place = false;
  bool uneven = false;
  Contest* contest = nullptr;    // none: nothing is learned from it
  Reason passes = Reason::none;  // then: why it is the MPI's
  // Selection's algorithm for it, where that goes by shared blocks, and this rank's.
  const Algorithm* by_blocks = nullptr;
  PlainBlock block{};

  // On rank `me` of `size`. A root that is none is an error, on all ranks alike.
  [[nodiscard, gnu::always_inline]] bool is_like(const Call& call, bool in_place, Rank me,
                                                 Rank size) const {
    return recvcount == call.recvcount && recvtype == call.recvtype &&
           sendcount == call.sendcount && sendtype == call.sendtype && op == call.op &&
           collective == call.collective && form == call.form && uneven == call.uneven &&
           is_in_place == in_place && is_root == (call.root == me) && call.root >= 0 &&
           call.root < size;
  }
};

struct LearnedCalls {
  Contests contests;

  // Where a call with such arguments would be.
  [[nodiscard, gnu::always_inline]] KnownCall& known(const Call& call, Rank me) {
    const auto counts =
        static_cast<std::uint64_t>(call.sendcount) + static_cast<std::uint64_t>(call.recvcount);
    const auto kind = static_cast<std::uint64_t>(call.collective) * 4 +
                      (call.form == Form::blocking ? 0 : 2) + (call.root == me ? 1 : 0);
    return known_[((counts << 6) + kind) * 0x9E3779B97F4A7C15U >> 59];
  }

 private:
  std::array<KnownCall, 32> known_{};
};

}  // namespace stretto
