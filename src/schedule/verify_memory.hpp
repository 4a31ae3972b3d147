// The symbols in every rank's three buffers, and what the steps do to them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/verify_meaning.hpp"
#include "schedule/verify_sets.hpp"
#include "schedule/verify_sums.hpp"
#include "schedule/verify_words.hpp"

namespace stretto {

class Memory {
 public:
  explicit Memory(const Proof& proof);

  // to = from, across ranks for a message. What is wrong, or nothing.
  [[nodiscard]] std::string move(Rank from_rank, const Region& from, Rank to_rank,
                                 const Region& to);
  // to = from op to.
  [[nodiscard]] std::string reduce(Rank rank, const Region& from, const Region& to);

  // The first output element of `rank` that is not what MPI promises: its
  // position, -1 if all are right.
  [[nodiscard]] Count wrong_output(Rank rank) const;
  // The first output element of `rank` that other ranks that get the same have added up in another
  // way: its position, -1 if there is none.
  [[nodiscard]] Count otherwise_added(Rank rank) const;
  // What is at that position and what should be.
  [[nodiscard]] std::string describe_output(Rank rank, Count position) const;

 private:
  [[nodiscard]] std::size_t place(Rank rank, const Region& region) const;
  [[nodiscard]] std::span<Symbol> at(Rank rank, const Region& region);
  [[nodiscard]] std::span<const Symbol> output(Rank rank) const;
  [[nodiscard]] std::string describe(Symbol symbol) const;
  [[nodiscard]] std::string wrong_join(Symbol left, Symbol right) const;

  const Proof& proof_;
  RankSets sets_;
  std::vector<std::size_t> first_;  // of each rank's send, receive and scratch buffer
  std::vector<Symbol> symbols_;
  SumWays ways_;
  std::vector<SumWays::Id> way_of_;  // of each symbol; of an allreduce, or none
};

}  // namespace stretto
