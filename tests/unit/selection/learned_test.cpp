#include "selection/learned.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

constexpr const char* kFingerprint = "mpi = \"fake MPI\"\nranks = \"8\"\n";

std::vector<Learned> two() {
  return {{.kind = {.collective = Collective::bcast, .size_class = 13},
           .ranks = 8,
           .hosts = 2,
           .winner = "chain segment=2048",
           .times_us = {{"binomial", 30.25}, {"native", 20}, {"chain segment=2048", 15.125}}},
          {.kind = {.collective = Collective::barrier, .size_class = 0, .commutative = false},
           .ranks = 4,
           .hosts = 1,
           .winner = "native",
           .times_us = {{"native", 0.5}}}};
}

TEST(Learned, IsReadAsItWasWritten) {
  const auto file = read_learned(text_of(two(), kFingerprint));
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->fingerprint, kFingerprint);
  ASSERT_EQ(file->all.size(), two().size());
  for (std::size_t i = 0; i < two().size(); ++i) {
    EXPECT_TRUE(file->all[i].is_of_same(two()[i]));
    EXPECT_EQ(file->all[i].winner, two()[i].winner);
    EXPECT_EQ(file->all[i].times_us, two()[i].times_us);
  }
}

TEST(Learned, AFileThatEndsTooEarlyIsNone) {
  const std::string text = text_of(two(), kFingerprint);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(read_learned(text.substr(0, length)).has_value()) << length;
  }
}

TEST(Learned, NorIsOneWhoseValuesMakeNoSense) {
  const std::string text = text_of(two(), kFingerprint);
  for (const auto& [right, wrong] :
       {std::pair{"\"bcast\"", "\"broadcast\""},
        std::pair{"from_bytes = 4096", "from_bytes = 4097"}, std::pair{"= 30.250", "= fast"},
        std::pair{"ranks = 8", "ranks = many"},
        std::pair{"commutative = true", "commutative = yes"}}) {
    std::string changed = text;
    changed.replace(changed.find(right, changed.find("[[")), std::string(right).size(), wrong);
    EXPECT_FALSE(read_learned(changed).has_value()) << wrong;
  }
}

TEST(Learned, InWordsNamesTheWinnerAndTheOthers) {
  EXPECT_EQ(in_words(two()[0]),
            "learned: bcast, 4096 to 8191 B, 8 ranks: chain segment=2048 15.1 us (binomial 30.2, "
            "native 20.0)");
  EXPECT_EQ(in_words(two()[1]), "learned: barrier, 0 B, 4 ranks: native 0.5 us");
}

}  // namespace
}  // namespace stretto
