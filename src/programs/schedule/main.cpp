// stretto-schedule: lists, shows, costs, simulates and proves the schedules of the library.
// Prints JSON lines; `stretto schedule` is its face for people.
#include <cstdio>
#include <iostream>

#include "programs/schedule/verbs.hpp"

namespace {

constexpr std::string_view kHelp =
    R"(stretto-schedule VERB [COLLECTIVE] [OPTIONS]: schedules as JSON lines

  list   [COLLECTIVE]                the algorithms and what each can do
  show   COLLECTIVE --algorithm A --ranks N [--count C] [--segment S] [--radix K]
         [--root R] [--in-place]     every rank's steps, with the costs
         [--layout LEVELS [--placement in-order|round-robin|shuffled]]
                                     who shares what, from the nearest level on: host=4,
                                     'core complex=2,host=8'; host=3+1 where hosts differ
  cost   the same options            the costs alone
  simulate  the same options but the layout, which is the machine's, and
         --machine FILE [--element-bytes E] [--signal-bytes S] [--arrivals FILE]
         [--noise-period NS --noise-lasts NS --seed N] [--path any|events|rounds] [--ends]
                                     when the ranks are done, in ns
  cells  [COLLECTIVE] --machine FILE [--most-ranks N] [--most-steps N] [--growth F]
         [--full-hosts]
                                     what selection chooses on the machine, from 2 ranks and 4
                                     bytes (times F each) on, beside the best and the classic
  explain  COLLECTIVE --ranks N --bytes B [--hosts H] [--crowded] [--rules RULES]
         [--machine FILE]            what a blocking call runs, what that goes by, and what it and
                                     the others are estimated at
  verify [COLLECTIVE] [--algorithm A] [--max-ranks N]
                                     proves them; one line an algorithm

Counts are in elements: the vector's, or one rank's block in gather, scatter,
allgather and alltoall. Exit code: 0, 2 for bad input, 3 when a proof
fails or a simulation is too large.

Examples:
  stretto-schedule list
  stretto-schedule show allreduce --algorithm ring --ranks 8 --count 1024
  stretto-schedule show bcast --algorithm two_level --ranks 8 --count 9 --layout host=4
  stretto-schedule cost bcast --algorithm binomial --ranks 16 --count 1 --root 3
  stretto-schedule simulate allreduce --algorithm ring --ranks 64 --count 1024 --machine M
  stretto-schedule cells bcast --machine M --most-ranks 1024
  stretto-schedule explain allreduce --ranks 512 --hosts 32 --bytes 65536
  stretto-schedule verify allgather --max-ranks 16
)";

int run(stretto::programs::Arguments arguments) {
  using namespace stretto::programs;
  if (arguments.wants_help()) {
    std::cout << kHelp;
    return kOk;
  }
  if (arguments.verb() == "list") return list(arguments, std::cout);
  if (arguments.verb() == "show") return show(arguments, std::cout);
  if (arguments.verb() == "cost") return cost(arguments, std::cout);
  if (arguments.verb() == "simulate") return simulate(arguments, std::cout);
  if (arguments.verb() == "cells") return cells(arguments, std::cout);
  if (arguments.verb() == "explain") return explain(arguments, std::cout);
  if (arguments.verb() == "verify") return verify(arguments, std::cout);
  const std::string known = "list, show, cost, simulate, cells, explain, verify";
  throw BadInput(arguments.verb().empty()
                     ? "name a verb: " + known
                     : "unknown verb '" + std::string(arguments.verb()) + "': " + known);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argc, argv});
  } catch (const stretto::programs::BadInput& bad) {
    std::fprintf(stderr, "stretto-schedule: %s\n", bad.what());
    return stretto::programs::kBadInput;
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "stretto-schedule: a bug of ours: %s\n", bug.what());
    return stretto::programs::kBug;
  }
}
