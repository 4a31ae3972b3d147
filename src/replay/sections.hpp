// Where ranks' time goes: in the calls of each place, and in computing between two calls.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/call_site.hpp"
#include "trace/op.hpp"

namespace stretto::replay {

enum class SectionEndKind : std::uint8_t {
  start,  // of the run
  end,    // of the run
  send,
  receive,
  probe,
  collective,
  wait,   // for a nonblocking collective
  other,  // calls that virtual time does not follow
};

// A call. Traces know the places of collectives alone, so -1 otherwise.
struct SectionEnd {
  SectionEndKind kind{};
  int call_site = -1;

  friend auto operator<=>(const SectionEnd&, const SectionEnd&) = default;
};

// Of a collective's call: for ranks that come later to it, and what it would gain if it cost
// nothing.
enum class CallShare : std::uint8_t { all, waiting, transfer };

// A call, from it to itself, or what is computed between two. What messages have no place for they
// have a phase for: the call site of the last collective before, or -1.
struct Section {
  bool is_call = false;
  SectionEnd from{};
  SectionEnd to{};
  int phase = -1;
  CallShare share = CallShare::all;  // of other calls, and of computing

  friend auto operator<=>(const Section&, const Section&) = default;
};

struct SectionTotal {
  std::int64_t count = 0;
  std::int64_t bytes = 0;  // sent, or as trace::Op counts those of a collective
  double ns = 0;           // in the first scenario
};

// Of one rank.
class RankSections {
 public:
  // `call_sites`: the numbers of the rank's own among those of all ranks.
  explicit RankSections(std::vector<int> call_sites) : call_sites_(std::move(call_sites)) {}

  // The rank's clock has moved on by so much, of it `waiting_ns` for ranks that came later to the
  // collective that ends.
  void did(const trace::Op& op, double ns, double waiting_ns);
  void end() { arrive({.kind = SectionEndKind::end}); }
  [[nodiscard]] const std::map<Section, SectionTotal>& totals() const { return totals_; }

 private:
  void arrive(const SectionEnd& at);
  SectionTotal& call(const SectionEnd& what, CallShare share = CallShare::all);

  std::vector<int> call_sites_;
  std::map<int, int> open_;  // call sites of collectives that were begun, by slot
  SectionEnd last_{};
  int phase_ = -1;
  bool computes_ = false;  // since the last call
  double computed_ns_ = 0;
  std::map<Section, SectionTotal> totals_;
};

// Of all ranks together, and of the one that has most.
struct SectionSum {
  SectionTotal all{};
  SectionTotal most{};
};

class Sections {
 public:
  // For a rank with these call sites: one of a function at a place is the same on all of them.
  [[nodiscard]] RankSections of_rank(const std::vector<model::CallSite>& call_sites);
  void add(const RankSections& rank);

  [[nodiscard]] const std::vector<model::CallSite>& call_sites() const { return call_sites_; }
  [[nodiscard]] const std::map<Section, SectionSum>& sums() const { return sums_; }

 private:
  std::vector<model::CallSite> call_sites_;
  std::map<std::tuple<std::string, std::string, std::int64_t>, int> known_;
  std::map<Section, SectionSum> sums_;
};

}  // namespace stretto::replay
