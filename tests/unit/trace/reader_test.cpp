// What is written is read, and whatever else there is in a file is refused, naming the byte.
#include <gtest/gtest.h>
#include <unistd.h>

#include "replay/replay.hpp"
#include "trace/random_trace.hpp"

namespace stretto::trace {
namespace {

constexpr int kRanks = 3;

// Every kind of operation, in loops and out of them.
Ending everything(Recorder& recorder, int rank) {
  const int world = recorder.add(Comm{.id = 0, .members = {0, 1, 2}});
  const int call_site = recorder.add(model::CallSite{.function = "MPI_Bcast",
                                                     .object = "a.py",
                                                     .offset = 4711,
                                                     .symbol = "main",
                                                     .is_source = true,
                                                     .ranks = 3});
  const int next = (rank + 1) % kRanks;
  const int before = (rank + kRanks - 1) % kRanks;
  for (int i = 0; i < 20; ++i) {
    recorder.lasted(OpKind::compute, 1000 * i + rank);
    recorder.did({.kind = OpKind::send, .peer = next, .bytes = 100});
    recorder.did({.kind = OpKind::see, .taken = {{before, 0}}});
    recorder.did({.kind = OpKind::keep, .taken = {{before, 0}}, .slot = 0});
    recorder.did({.kind = OpKind::receive, .taken = {{kKept, 0}}});
    recorder.lasted(OpKind::pass, 7);
    recorder.did({.kind = OpKind::begin,
                  .bytes = 8,
                  .slot = 1,
                  .comm = world,
                  .call_site = call_site,
                  .collective = Collective::bcast,
                  .root = 1,
                  .cold = true});
    recorder.did({.kind = OpKind::finish, .slot = 1, .nonblocking = true});
    recorder.did({.kind = OpKind::begin,
                  .bytes = 24,
                  .slot = 2,
                  .nonblocking = true,
                  .comm = world,
                  .call_site = call_site,
                  .collective = Collective::neighbor_alltoall,
                  .series = 3,
                  .to = {{next, 8}, {rank, 7}, {before, 9}},
                  .from = 2});
    recorder.did({.kind = OpKind::finish, .slot = 2, .nonblocking = true});
  }
  return {.ends = {1.5, 2.5e9}, .computed_ns = 3, .blocked_ns = 4, .flags = {{"polls", 5}}};
}

const std::string& sample() {
  static const std::string text = recorded(kRanks, everything);
  return text;
}

// What the file is refused for; empty where it is not.
std::string complaint(const std::string& text) {
  try {
    static_cast<void>(read(text));
    return {};
  } catch (const BadTrace& bad) {
    return bad.what();
  }
}

TEST(ReadTrace, WhatWasRecordedComesBack) {
  const Trace trace = read(sample());
  EXPECT_EQ(trace.about, "{}");
  ASSERT_EQ(trace.ranks.size(), 3U);
  const RankTrace& rank = trace.ranks[2];
  EXPECT_EQ(rank.rank, 2);
  EXPECT_EQ(rank.size, 3);
  EXPECT_EQ(rank.comms.at(0).members, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(rank.call_sites.at(0).symbol, "main");
  EXPECT_EQ(rank.call_sites.at(0).offset, 4711);
  EXPECT_TRUE(rank.call_sites.at(0).is_source);
  EXPECT_EQ(rank.ending.ends, (std::vector<double>{1.5, 2.5e9}));
  EXPECT_EQ(rank.ending.flags.at(0).first, "polls");
  EXPECT_EQ(rank.ops.size(), 10U);
  EXPECT_EQ(rank.program.whole.size(), 1U) << "the loop is folded";
  EXPECT_EQ(items_in(rank.program, 1000), 200);
  EXPECT_EQ(rank.ops.at(1), (Op{.kind = OpKind::send, .peer = 0, .bytes = 100}));
  const Op exchange{.kind = OpKind::begin,
                    .bytes = 24,
                    .slot = 2,
                    .nonblocking = true,
                    .collective = Collective::neighbor_alltoall,
                    .series = 3,
                    .to = {{0, 8}, {2, 7}, {1, 9}},
                    .from = 2};
  EXPECT_EQ(rank.ops.at(8), exchange);
}

std::string recorded_at(const Location& location) {
  const Scratch file;
  EXPECT_TRUE(Recorder(file.path(), 0, 1, location).end({}));
  return beginning() + file.content();
}

TEST(ReadTrace, WhereARankSatComesBack) {
  for (const Location& location : {Location{}, Location{0, 0}}) {
    EXPECT_EQ(read(recorded_at(location)).ranks.at(0).location, location);
  }
  EXPECT_NE(complaint(recorded_at({1, 0})).find("more hosts than ranks"), std::string::npos);
  EXPECT_NE(complaint(recorded_at({0, 1})).find("more core complexes than"), std::string::npos);
}

TEST(ReadTrace, RanksMayComeInAnyOrder) {
  std::string text = beginning();
  std::vector<std::string> parts;
  for (int rank = kRanks - 1; rank >= 0; --rank) {
    const Scratch file;
    Recorder recorder(file.path(), rank, kRanks, {});
    ASSERT_TRUE(recorder.end(everything(recorder, rank)));
    text += file.content();
    parts.push_back(file.content());
  }
  EXPECT_EQ(read(text).ranks.at(1).rank, 1);
  const auto at = [](const std::string& file) {
    return "byte " + std::to_string(file.size()) + ": ";
  };
  const std::string two = beginning() + parts[0] + parts[1];
  EXPECT_EQ(complaint(two), at(two) + "rank 0 is missing, or there twice");
  EXPECT_EQ(complaint(text + parts[0]),
            at(text + parts[0]) + "there are more ranks than the program had");
  EXPECT_EQ(complaint(beginning()), at(beginning()) + "rank 0 is missing, or there twice");
}

TEST(ReadTrace, CutOffAnywhereItIsRefusedThere) {
  for (std::size_t size = 0; size < sample().size(); ++size) {
    const std::string words = complaint(sample().substr(0, size));
    ASSERT_FALSE(words.empty()) << size;
    ASSERT_TRUE(words.starts_with("byte ")) << words;
  }
}

TEST(ReadTrace, ABitThatIsWrongIsFoundAnywhere) {
  for (std::size_t at = 0; at < sample().size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string text = sample();
      text[at] = static_cast<char>(text[at] ^ (1 << bit));
      ASSERT_NE(complaint(text), "") << "byte " << at << " bit " << bit;
    }
  }
}

TEST(ReadTrace, TheDamagedPartIsNamed) {
  std::string text = sample();
  const std::size_t part = beginning().size();
  text[part + 6] ^= 1;
  EXPECT_EQ(complaint(text), "byte " + std::to_string(part) + ": this part is damaged");
  EXPECT_EQ(complaint("something else"), "byte 0: this is not a trace of stretto whatif --record");
}

TEST(ReadTrace, OfARankThatCouldNotWriteThereIsNone) {
  Recorder recorder("/there/is/no/such/folder", 0, 1, {});
  recorder.lasted(OpKind::compute, 1);
  EXPECT_FALSE(recorder.end({}));
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  const Scratch link;
  std::filesystem::create_symlink("/dev/full", link.path());
  // "x" would refuse the link: the disk is full behind a file that is there.
  EXPECT_FALSE(Recorder(link.path(), 0, 1, {}).end({}));
}

TEST(ReadTrace, WhatItCannotHoldIsNotRecorded) {
  const auto why_not = [](const Op& op, int turns) {
    const Scratch file;
    Recorder recorder(file.path(), 0, 1, {});
    for (int i = 0; i < turns; ++i) recorder.did(op);
    const bool written = recorder.end({});
    EXPECT_EQ(written, recorder.why_not().empty());
    return recorder.why_not();
  };
  EXPECT_EQ(why_not({.kind = OpKind::send, .bytes = std::int64_t{1} << 50}, 2), "");
  EXPECT_EQ(why_not({.kind = OpKind::send, .bytes = (std::int64_t{1} << 50) + 1}, 2),
            "it holds a number that is too large");
}

// One rank's part with these ops and loops.
std::string handmade(const Packer& comms, const Packer& ops, const Packer& loops,
                     std::uint64_t items) {
  std::string text = beginning();
  const auto add = [&](Tag tag, const Packer& content) {
    text += text_of(framed(tag, content.bytes()));
  };
  add(Tag::rank, Packer().number(0).number(2).number(0).number(0));
  add(Tag::comms, comms);
  add(Tag::call_sites, Packer().number(0));
  add(Tag::ops, ops);
  add(Tag::loops, loops);
  add(Tag::ending, Packer().number(0).real(0).real(0).number(0).number(items).number(0));
  return text;
}

TEST(ReadTrace, WhatWouldNeverEndIsRefused) {
  const Packer none = Packer().number(0);
  // No ops; one body, of nothing; which happens very often.
  const Packer empty = Packer().number(1).number(0).number(1).number(1).number(1U << 30);
  EXPECT_NE(complaint(handmade(none, none, empty, 0)).find("a loop of nothing"), std::string::npos);
  // A send, more often than a program could.
  const Packer send = Packer().number(1).number(2).number(1).number(8);
  const Packer often = Packer().number(0).number(1).number(0).number(std::uint64_t{1} << 40);
  const std::string words = complaint(handmade(none, send, often, std::uint64_t{1} << 40));
  EXPECT_NE(words.find("more happens than can be counted"), std::string::npos);
}

TEST(ReadTrace, ACommunicatorThatIsThereTwiceIsRefused) {
  const Packer twice = Packer()
                           .number(2)
                           .number(7)
                           .number(2)
                           .number(0)
                           .number(1)
                           .number(7)
                           .number(2)
                           .number(0)
                           .number(1);
  const Packer none = Packer().number(0);
  const Packer nothing = Packer().number(0).number(0);
  const std::string words = complaint(handmade(twice, none, nothing, 0));
  EXPECT_NE(words.find("two communicators are the same one"), std::string::npos) << words;
}

Packer beginning_of(Collective collective, std::uint64_t flags) {
  Packer op;
  op.number(1).number(static_cast<std::uint64_t>(OpKind::begin)).number(0).number(0).number(0);
  op.number(static_cast<std::uint64_t>(collective)).number(8).number(0).number(flags).number(0);
  return op;
}

// Of a neighbourhood, with as many blocks, all to the same rank.
Packer exchange_with(int neighbor, std::size_t blocks, std::uint64_t flags = 1) {
  Packer op = beginning_of(Collective::neighbor_alltoall, flags);
  op.number(blocks);
  for (; blocks > 0; --blocks) op.number(static_cast<std::uint64_t>(neighbor)).number(8);
  op.number(0);
  return op;
}

// A rank's part up to its one op, on a communicator of all ranks but the last.
std::string with_op(const Packer& op, std::uint64_t members = 1) {
  std::string text = beginning();
  const auto add = [&](Tag tag, const Packer& content) {
    text += text_of(framed(tag, content.bytes()));
  };
  Packer comm;
  comm.number(1).number(7).number(members);
  for (std::uint64_t member = 0; member < members; ++member) comm.number(member);
  add(Tag::rank, Packer().number(0).number(members + 1).number(0).number(0));
  add(Tag::comms, comm);
  add(Tag::call_sites, Packer().number(1).text("").text("").number(0).text("").number(0).number(1));
  add(Tag::ops, op);
  return text;
}

TEST(ReadTrace, ACollectiveThatCannotBeIsRefused) {
  const auto is_refused_for = [](const std::string& text, const std::string& words) {
    return complaint(text).find(words) != std::string::npos;
  };
  EXPECT_TRUE(is_refused_for(with_op(exchange_with(0, 1)), "cut off")) << "but for its end";
  EXPECT_TRUE(is_refused_for(with_op(exchange_with(0, 1, 5)), "cut off")) << "nonblocking";
  EXPECT_TRUE(is_refused_for(with_op(exchange_with(1, 1)), "not in the communicator"));
  EXPECT_TRUE(is_refused_for(with_op(exchange_with(0, 1, 3)), "has what it cannot have"));
  EXPECT_TRUE(is_refused_for(with_op(exchange_with(0, 1, 9)), "has what it cannot have"));
  const auto allreduce = [](std::uint64_t flags) {
    return with_op(beginning_of(Collective::allreduce, flags));
  };
  EXPECT_TRUE(is_refused_for(allreduce(1), "cut off"));
  EXPECT_TRUE(is_refused_for(allreduce(9), "cut off")) << "cold";
  EXPECT_TRUE(is_refused_for(allreduce(5), "has what it cannot have"));
  EXPECT_TRUE(is_refused_for(allreduce(16), "a number is too large"));
}

// A million blocks to the last of as many members: looked for one by one, this test takes minutes.
TEST(ReadTrace, ManyBlocksToManyMembersAreReadAtOnce) {
  constexpr int kMany = 1 << 20;
  const std::string text = with_op(exchange_with(kMany - 1, kMany), kMany);
  EXPECT_NE(complaint(text).find("cut off"), std::string::npos) << "but for its end";
}

// Replaying sends each one by itself, and those to the rank itself never are under way.
TEST(ReadTrace, BlocksAreCountedAsWhatHappens) {
  const Packer loops = Packer().number(0).number(1).number(0).number(std::uint64_t{1} << 30);
  const auto complaint_with = [&](std::size_t blocks) {
    return complaint(with_op(exchange_with(0, blocks)) +
                     text_of(framed(Tag::loops, loops.bytes())));
  };
  EXPECT_NE(complaint_with(63).find("cut off"), std::string::npos) << "but for its end";
  EXPECT_NE(complaint_with(64).find("more happens than can be counted"), std::string::npos);
}

// The same chunks with anything in them, and sums that fit: nothing but BadTrace or Unmatched comes
// of it.
class Mutated {
 public:
  explicit Mutated(unsigned seed) : random_(seed) {
    const std::string& text = sample();
    for (std::size_t at = kMagic.size(); at < text.size();) {
      std::size_t size = 0;
      for (std::size_t i = 4; i > 0; --i) {
        size = size << 8 | static_cast<std::uint8_t>(text[at + i]);
      }
      const auto content = text.substr(at + 5, size);
      chunks_.push_back({static_cast<Tag>(text[at]), Bytes(content.begin(), content.end())});
      at += size + 9;
    }
  }

  std::string next() {
    auto chunks = chunks_;
    for (unsigned changes = 1 + random_() % 4; changes > 0; --changes) {
      Bytes& bytes = chunks[random_() % chunks.size()].second;
      const std::size_t at = bytes.empty() ? 0 : random_() % bytes.size();
      const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      switch (random_() % 4) {
        case 0:
          if (!bytes.empty()) *place = static_cast<std::uint8_t>(random_());
          break;
        case 1:
          if (!bytes.empty()) bytes.erase(place);
          break;
        case 2:
          bytes.insert(place, static_cast<std::uint8_t>(random_()));
          break;
        default:
          if (!bytes.empty()) *place = static_cast<std::uint8_t>(*place + 1);
          break;
      }
    }
    if (random_() % 8 == 0) std::swap(chunks[random_() % chunks.size()], chunks.back());
    std::string text(kMagic);
    for (const auto& [tag, bytes] : chunks) text += text_of(framed(tag, bytes));
    return text;
  }

 private:
  std::mt19937 random_;
  std::vector<std::pair<Tag, Bytes>> chunks_{};
};

std::vector<model::Scenario> one_scenario() {
  return model::read_scenarios("scenario sim\nmachine m\nlevel 0 0 0 all\nmessage 0 1 1 1 0 1 1\n");
}

TEST(ReadTrace, AnythingInItIsRefusedOrReplayed) {
  const auto scenarios = one_scenario();
  Mutated mutated(3);
  int good = 0;
  int unmatched = 0;
  for (int i = 0; i < 20'000; ++i) {
    try {
      const Trace trace = read(mutated.next());
      std::int64_t items = 0;
      for (const RankTrace& rank : trace.ranks) items += *items_in(rank.program, 1L << 62);
      if (items > 100'000) continue;  // it would only take long
      static_cast<void>(replay::replay(scenarios, replay::parts_of(trace)));
      ++good;
    } catch (const BadTrace&) {
    } catch (const replay::Unmatched&) {
      ++unmatched;
    }
  }
  // Both come up, or nothing was tried.
  EXPECT_GT(good, 100);
  EXPECT_GT(unmatched, 100);
}

}  // namespace
}  // namespace stretto::trace
