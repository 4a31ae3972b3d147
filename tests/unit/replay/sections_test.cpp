// Where a trace's time goes: calls, and what is computed between them.
#include "replay/sections.hpp"

#include <gtest/gtest.h>

#include "replay/programs.hpp"

namespace stretto::replay {
namespace {

constexpr int kTurns = 3;

// Rank 1 waits for what rank 0 computes; then both meet. A collective goes on while they compute.
trace::Trace recorded() {
  return trace::read(trace::recorded(2, [](Recorder& recorder, int rank) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = {0, 1}});
    // The ranks number their call sites differently.
    const model::CallSite barrier{.function = "MPI_Ibarrier", .object = "a", .offset = 8};
    const model::CallSite sum{.function = "MPI_Allreduce", .object = "a", .offset = 16};
    const int first = recorder.add(rank == 0 ? barrier : sum);
    const int second = recorder.add(rank == 0 ? sum : barrier);
    for (int turn = 0; turn < kTurns; ++turn) {
      if (rank == 0) {
        recorder.lasted(OpKind::compute, 300);
        recorder.did({.kind = OpKind::send, .peer = 1, .bytes = kBytes});
      } else {
        recorder.did({.kind = OpKind::receive, .taken = {{0, 0}}});
      }
      collective(recorder, world, rank == 0 ? second : first, Collective::allreduce, 8);
      recorder.did({.kind = OpKind::begin,
                    .comm = world,
                    .call_site = rank == 0 ? first : second,
                    .collective = Collective::barrier});
      recorder.lasted(OpKind::compute, 5000);
      recorder.did({.kind = OpKind::finish, .nonblocking = true});
    }
    recorder.lasted(OpKind::pass, 70);
    return {.ends = {0, 0}};
  }));
}

SectionSum sum_of(const Sections& sections, const Section& section) {
  const auto found = sections.sums().find(section);
  return found == sections.sums().end() ? SectionSum{} : found->second;
}

TEST(Sections, AreCallsAndWhatIsComputedBetweenThem) {
  const trace::Trace trace = recorded();
  Sections sections;
  const auto ranks = replay(scenarios(), parts_of(trace), &sections);
  ASSERT_EQ(sections.call_sites().size(), 2U);  // of both ranks together
  const SectionEnd barrier{.kind = SectionEndKind::collective, .call_site = 0};
  const SectionEnd waited{.kind = SectionEndKind::wait, .call_site = 0};
  const SectionEnd send{.kind = SectionEndKind::send};
  const SectionEnd other{.kind = SectionEndKind::other};
  const auto overlapped = sum_of(sections, {.from = barrier, .to = waited, .phase = 0});
  EXPECT_EQ(overlapped.all.count, 2 * kTurns);
  EXPECT_EQ(overlapped.all.ns, 2 * kTurns * 5000);
  EXPECT_EQ(overlapped.most.ns, kTurns * 5000);
  // One before the first collective, the others after it.
  EXPECT_EQ(sum_of(sections, {.to = send}).all.ns, 300);
  const auto later = sum_of(sections, {.from = waited, .to = send, .phase = 0});
  EXPECT_EQ(later.all.ns, (kTurns - 1) * 300);
  const auto sent = sum_of(sections, {.is_call = true, .from = send, .to = send, .phase = 0});
  EXPECT_EQ(sent.all.count, kTurns - 1);
  EXPECT_EQ(sent.all.bytes, (kTurns - 1) * kBytes);
  EXPECT_EQ(sent.all.ns, (kTurns - 1) * 100);
  const Section met{.is_call = true, .from = barrier, .to = barrier, .share = CallShare::transfer};
  EXPECT_EQ(sum_of(sections, met).all.count, 2 * kTurns);
  const auto passed = sum_of(sections, {.is_call = true, .from = other, .to = other, .phase = 0});
  EXPECT_EQ(passed.all.ns, 2 * 70);
}

// Rank 0 comes 400 ns late.
TEST(Sections, TellWaitingForLateRanksFromTransfer) {
  const trace::Trace trace = trace::read(trace::recorded(2, [](Recorder& recorder, int rank) {
    const int world = recorder.add(trace::Comm{.id = 1, .members = {0, 1}});
    const int sum =
        recorder.add(model::CallSite{.function = "MPI_Allreduce", .object = "a", .offset = 16});
    if (rank == 0) recorder.lasted(OpKind::compute, 400);
    collective(recorder, world, sum, Collective::allreduce, 8);
    return Ending{.ends = {0, 0}};
  }));
  Sections sections;
  const auto ranks = replay(scenarios(), parts_of(trace), &sections);
  const SectionEnd sum{.kind = SectionEndKind::collective, .call_site = 0};
  const auto of = [&](CallShare share) {
    return sum_of(sections, {.is_call = true, .from = sum, .to = sum, .share = share});
  };
  EXPECT_EQ(of(CallShare::waiting).all.count, 2);
  EXPECT_NEAR(of(CallShare::waiting).all.ns, 400, 1e-6);
  EXPECT_NEAR(of(CallShare::waiting).most.ns, 400, 1e-6);
  EXPECT_EQ(of(CallShare::transfer).all.count, 2);
  EXPECT_EQ(of(CallShare::transfer).all.bytes, 2 * 8);
  const double ends = ranks[0].ends.front() + ranks[1].ends.front();
  EXPECT_NEAR(of(CallShare::transfer).all.ns, ends - 2 * 400, 1e-6);
  EXPECT_EQ(of(CallShare::all).all.count, 0);
}

TEST(Sections, TogetherAreAllOfTheTime) {
  const trace::Trace grid = run({.dims = {3, 2}, .is_periodic = false, .alltoall = 600});
  for (const trace::Trace& trace : {recorded(), grid}) {
    Sections sections;
    const auto ranks = replay(scenarios(), parts_of(trace), &sections);
    double elapsed = 0;
    for (const Replayed& rank : ranks) elapsed += rank.ends.front();
    double sum = 0;
    for (const auto& [section, each] : sections.sums()) sum += each.all.ns;
    EXPECT_NEAR(sum, elapsed, 1e-6 * elapsed);
  }
}

}  // namespace
}  // namespace stretto::replay
