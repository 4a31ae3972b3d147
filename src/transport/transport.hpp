// How messages get from rank to rank: what the engine holds each of its transports by.
//
// A transport carries described data between ranks of a group. Messages between two ranks of a
// group are matched by their tag, those of one tag in the order they were posted in. Who posts a
// message gives it a token, which `poll` hands back when it is complete. Nothing here blocks,
// spins or locks: the owner, the engine, serialises the calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/doorbell.hpp"
#include "transport/piece.hpp"

namespace stretto {

class Transport {
 public:
  struct Token {
    void* owner = nullptr;
    std::int32_t step = 0;
  };
  // Who does something with data of a message while the rest of them are still on their way.
  class Follower {
   public:
    // `poll` calls both, now and then. Of the message posted with `step` so many bytes have come,
    // of more, and those that were not taken are where they belong. Returns an MPI error code,
    // which is then the message's.
    virtual int come(std::int32_t step, std::size_t bytes) = 0;
    // The next ones, from the `first` on, are here. True: they have been used, and need never be
    // where they belong.
    virtual bool take(std::int32_t step, std::size_t first, std::span<const std::byte> data) = 0;

   protected:
    ~Follower() = default;
  };
  // One end of a message: who is at the other, `peer` of a group that the transport has joined.
  struct Endpoint {
    Opaque group{};
    int peer = 0;
    int tag = 0;
    bool is_blocking = false;  // whoever posts it waits inside Stretto until it is complete
    // Each such message is of data that its sender has written since the one before, such as sums
    // or what it has received. Both ends say the same.
    bool written_anew = false;
    // Of a receive of plain data: who hears how far they have come, where the transport knows.
    Follower* follower = nullptr;
  };
  // Where all attend, shorter messages of these ranks go faster than one copy by the kernel.
  struct BeatsKernel {
    std::size_t below = 0;
    std::size_t anew_below = 0;  // of those that are written anew
  };
  struct Completed {
    Token token;
    int error = 0;
  };

  // Ranks between which messages are to go, before there is a transport between them.
  class Group {
   public:
    Group(int rank_here, int ranks, Opaque communicator)
        : rank(rank_here), size(ranks), handle(communicator) {}
    virtual ~Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    // All ranks give as many bytes, and get everyone's, by rank. Collective.
    virtual void allgather(std::span<const std::byte> mine, std::span<std::byte> all) const = 0;
    // The same among some ranks, this one included, ascending: only they call it, and get what
    // those give, in their order.
    virtual void allgather_among(std::span<const int> ranks, std::span<const std::byte> mine,
                                 std::span<std::byte> all) const = 0;

    const int rank;
    const int size;
    const Opaque handle;  // the MPI's: an MPI_Comm that carries nothing else
  };
  // What a transport makes of a group.
  struct Joined {
    Opaque group{};  // for Endpoint
    // The ranks that it reaches, and that reach this one so, ascending. That which is asked last
    // reaches all, and names none.
    std::vector<int> reached{};
    BeatsKernel beats_kernel{};
    // Memory of each of these ranks, in their order, that all of them see and it alone writes: as
    // much as SharedBlocks and RootSends are made of, all zero. Or none.
    std::vector<std::byte*> shared{};
  };

  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Collective over the group, and on all its ranks the same transports are asked in one order.
  [[nodiscard]] virtual Joined join(const Group& group) = 0;
  // Collective; nothing is under way there.
  virtual void leave(Opaque group) = 0;

  // Both return an MPI error code (0: none); on an error nothing is in flight for `token`. The
  // data stay as they are until the message is complete.
  virtual int post_send(const Piece& data, const Endpoint& to, Token token) = 0;
  virtual int post_recv(const Piece& data, const Endpoint& from, Token token) = 0;

  // Is a message of plain data posted without a function of the program's being run?
  [[nodiscard]] virtual bool calls_nothing() const { return false; }
  // Are those whom it reaches on this host?
  [[nodiscard]] virtual bool stays_on_host() const { return false; }
  // Is nothing in flight?
  [[nodiscard]] virtual bool idle() const = 0;
  // Moves things along once; what completed meanwhile is valid until the next call.
  virtual const std::vector<Completed>& poll() = 0;
  // Has the last poll moved a part of a message, which need not be complete?
  [[nodiscard]] virtual bool has_moved() const { return false; }
  // From now on this rank polls again and again until something is complete, or does no more.
  virtual void attend(bool /*polls*/) {}
  // Does another rank attend, as far as one can know?
  [[nodiscard]] virtual bool is_awaited() const { return true; }
  // By which other ranks wake this one, where all ranks can; nullptr: not all can. Valid until this
  // rank has left all its groups.
  [[nodiscard]] virtual Doorbell* doorbell() { return nullptr; }
  // Wakes those who listen and whom this rank, which waits, exchanges messages with.
  virtual void ring_others() {}
  // The tokens of the messages in flight.
  [[nodiscard]] virtual std::vector<Token> in_flight() const = 0;
  // Gives up the receives posted for `owner`, which complete; its sends run out by themselves.
  virtual void cancel_receives(const void* owner) = 0;
};

}  // namespace stretto
