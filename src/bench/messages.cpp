#include "bench/messages.hpp"

#include <array>

namespace stretto::bench {
namespace {

constexpr int kTag = 3;
constexpr int kDone = 4;
constexpr int kRounds = 15;             // of which each sample is the summary
constexpr double kRoundNs = 1'000'000;  // how long one should take
constexpr int kMostRepeats = 200;
constexpr double kLongRoundNs = 3'000'000;
constexpr int kFewRounds = 3;
// Of exchanges no fewer, as an MPI carries both ways of long messages at once, or not.
constexpr int kExchanges = 9;
constexpr double kMargin =
    5'000;  // ns that a receiver waits beyond three times what a message takes
constexpr int kStream = 16;
constexpr std::array<std::int64_t, 17> kSizes = {
    1,        8,        64,        256,       1 << 10,   2 << 10, 4 << 10, 8 << 10, 16 << 10,
    32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20};

double ns_since(std::int64_t begin) { return static_cast<double>(now_ns() - begin); }

// One of the two that are measured.
class PingPongSide {
 public:
  PingPongSide(MPI_Comm comm, int other, bool is_first)
      : comm_(comm),
        other_(other),
        is_first_(is_first),
        out_(static_cast<std::size_t>(kSizes.back()) * kStream),
        in_(static_cast<std::size_t>(kSizes.back()) * kStream) {}

  MessageTimes measure(std::int64_t bytes) {
    bytes_ = static_cast<int>(bytes);
    MessageTimes times;
    times.bytes = bytes;
    sent_ = answered_ = 0;
    const int few = agreed(1);
    ping_pong(few);
    const double estimate = agreed(ping_pong(few));
    const double round_ns = share_of_time() * kRoundNs;
    const int repeats = static_cast<int>(std::clamp(round_ns / estimate, 1.0, 1.0 * kMostRepeats));
    // A slow network is not as noisy as it is slow.
    const bool is_slow = estimate * repeats > share_of_time() * kLongRoundNs;
    rounds_ = is_slow ? kFewRounds : fewer(kRounds, kFewRounds);
    times.one_way = rounds([&] { return ping_pong(agreed(repeats)); });
    times.exchange = rounds([&] { return exchange(agreed(repeats)); }, fewer(kExchanges, 3));
    const double one_way = agreed(times.one_way.typical);
    std::vector<double> sends;
    std::vector<double> receives;
    const int count = agreed(rounds_);
    for (int round = 0; round < count; ++round) {
      const auto [send, receive] = apart(agreed(std::max(repeats / 4, 1)), one_way);
      sends.push_back(send);
      receives.push_back(receive);
    }
    times.send = summary(sends);
    times.recv = is_slow ? least(receives) : summary(receives);
    times.rendezvous = 2 * answered_ > sent_;
    times.gap = rounds([&] { return stream(agreed(std::max(repeats / kStream, 1))); });
    return times;
  }

 private:
  // The first one's number.
  template <class Number>
  Number agreed(Number mine) {
    if (is_first_) {
      native().Send(&mine, sizeof mine, native().byte, other_, kTag, comm_);
    } else {
      native().Recv(&mine, sizeof mine, native().byte, other_, kTag, comm_, MPI_STATUS_IGNORE);
    }
    return mine;
  }

  template <class Round>
  Sample rounds(Round round, int at_least = 1) {
    std::vector<double> times;
    const int count = agreed(std::max(rounds_, at_least));
    times.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) times.push_back(round());
    return summary(std::move(times));
  }

  // Where the next one lies.
  std::int64_t next() { return bytes_ >= kOutOfCaches ? turn_++ % kStream * bytes_ : 0; }

  void send() { native().Send(out_.data() + next(), bytes_, native().byte, other_, kTag, comm_); }
  void receive() {
    native().Recv(in_.data() + next(), bytes_, native().byte, other_, kTag, comm_,
                  MPI_STATUS_IGNORE);
  }
  void signal() { native().Send(nullptr, 0, native().byte, other_, kTag, comm_); }
  void await_signal() {
    native().Recv(nullptr, 0, native().byte, other_, kTag, comm_, MPI_STATUS_IGNORE);
  }

  double ping_pong(int repeats) {
    const std::int64_t begin = now_ns();
    for (int i = 0; i < repeats; ++i) {
      if (is_first_) {
        send();
        receive();
      } else {
        receive();
        send();
      }
    }
    return ns_since(begin) / (2.0 * repeats);
  }

  double exchange(int repeats) {
    const std::int64_t begin = now_ns();
    for (int i = 0; i < repeats; ++i) {
      const std::int64_t at = next();
      native().Sendrecv(out_.data() + at, bytes_, native().byte, other_, kTag, in_.data() + at,
                        bytes_, native().byte, other_, kTag, comm_, MPI_STATUS_IGNORE);
    }
    return ns_since(begin) / repeats;
  }

  // The message is sent while its receiver does something else, and received when it has been
  // there for long, unless the network is late: then waiting for it is part of what is measured.
  // One that has not ended before is sent when its receiver has answered.
  std::pair<double, double> apart(int repeats, double one_way_ns) {
    double spent = 0;
    for (int i = 0; i < repeats; ++i) {
      if (is_first_) {
        await_signal();
        MPI_Request request{};
        const std::int64_t begin = now_ns();
        native().Isend(out_.data() + next(), bytes_, native().byte, other_, kTag, comm_, &request);
        spent += ns_since(begin);
        int done = 0;
        while (done == 0) native().Test(&request, &done, MPI_STATUS_IGNORE);
        ++sent_;
        if (ns_since(begin) > 2 * one_way_ns + kMargin / 2) ++answered_;
      } else {
        signal();
        for (const std::int64_t from = now_ns(); ns_since(from) < 3 * one_way_ns + kMargin;) {
        }
        const std::int64_t begin = now_ns();
        receive();
        spent += ns_since(begin);
      }
    }
    double mine = spent / repeats;
    double theirs = 0;
    native().Sendrecv(&mine, sizeof mine, native().byte, other_, kTag, &theirs, sizeof theirs,
                      native().byte, other_, kTag, comm_, MPI_STATUS_IGNORE);
    return is_first_ ? std::pair{mine, theirs} : std::pair{theirs, mine};
  }

  double stream(int repeats) {
    std::array<MPI_Request, kStream> requests{};
    const std::int64_t begin = now_ns();
    for (int i = 0; i < repeats; ++i) {
      for (int each = 0; each < kStream; ++each) {
        auto* const request = &requests[static_cast<std::size_t>(each)];
        if (is_first_) {
          native().Isend(out_.data() + std::int64_t{each} * bytes_, bytes_, native().byte, other_,
                         kTag, comm_, request);
        } else {
          native().Irecv(in_.data() + std::int64_t{each} * bytes_, bytes_, native().byte, other_,
                         kTag, comm_, request);
        }
      }
      for (MPI_Request& request : requests) {
        for (int done = 0; done == 0;) native().Test(&request, &done, MPI_STATUS_IGNORE);
      }
      if (is_first_) {
        await_signal();
      } else {
        signal();
      }
    }
    return ns_since(begin) / (1.0 * repeats * kStream);
  }

  MPI_Comm comm_;
  int other_;
  bool is_first_;
  int bytes_ = 0;
  int rounds_ = kRounds;
  std::int64_t turn_ = 0;
  int sent_ = 0;  // of these bytes, while the other did something else
  int answered_ = 0;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

constexpr int kBytesOfTimes = sizeof(MessageTimes) * kSizes.size();

void hand_over(const std::vector<MessageTimes>& times, MPI_Comm comm) {
  native().Send(times.data(), kBytesOfTimes, native().byte, 0, kDone, comm);
}

std::vector<MessageTimes> handed_over(int from, MPI_Comm comm) {
  std::vector<MessageTimes> times(kSizes.size());
  native().Recv(times.data(), kBytesOfTimes, native().byte, from, kDone, comm, MPI_STATUS_IGNORE);
  return times;
}

}  // namespace

void sleep_until_awoken(int by, MPI_Comm comm) {
  int size = 1;
  native().Comm_size(comm, &size);
  // Many of them look as seldom as a few.
  const std::int64_t nap = std::int64_t{1'000'000} * std::clamp(size, 2, 100);
  for (int done = 0; done == 0;) {
    sleep_ns(nap);
    native().Iprobe(by, kDone, comm, &done, MPI_STATUS_IGNORE);
  }
  native().Recv(nullptr, 0, native().byte, by, kDone, comm, MPI_STATUS_IGNORE);
}

void awake(int rank, MPI_Comm comm) { native().Send(nullptr, 0, native().byte, rank, kDone, comm); }

std::vector<MessageTimes> measure_messages(MPI_Comm comm, int first, int second) {
  int rank = 0;
  int size = 1;
  native().Comm_rank(comm, &rank);
  native().Comm_size(comm, &size);
  std::vector<MessageTimes> times;
  if (rank != first && rank != second) {
    sleep_until_awoken(first, comm);
    if (rank == 0) times = handed_over(first, comm);
    return times;
  }
  PingPongSide side(comm, rank == first ? second : first, rank == first);
  times.reserve(kSizes.size());
  for (const std::int64_t bytes : kSizes) times.push_back(side.measure(bytes));
  for (int other = 0; rank == first && other < size; ++other) {
    if (other == first || other == second) continue;
    awake(other, comm);
  }
  if (rank == first && rank != 0) hand_over(times, comm);
  if (rank != 0) times.clear();
  return times;
}

}  // namespace stretto::bench
