// Reads GOAL schedules.
#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "replay/goal.hpp"
#include "replay/goal_tokens.hpp"

namespace stretto::replay {
namespace {

constexpr std::int64_t kMostRanks = 1 << 20;
constexpr std::int64_t kMostTag = UINT32_MAX;

struct GoalOp {
  StepKind kind{};
  Rank peer = -1;
  std::int64_t size = 0;  // bytes, or ns
  std::int64_t tag = 0;
  int line = 0;
  std::int32_t ordinal = 0;
};
// `later` waits for `earlier` to be done, or only to have started.
struct GoalWait {
  StepId later = 0;
  StepId earlier = 0;
  bool is_of_start = false;
  int line = 0;
};
struct GoalRank {
  int line = 0;  // 0: it has none
  std::vector<GoalOp> ops{};
  std::vector<GoalWait> waits{};
};

class GoalReader {
 public:
  explicit GoalReader(std::istream& text) : tokens_(text) {}

  std::vector<GoalRank> read() {
    for (Token token = tokens_.next(); token.kind != TokenKind::end; token = tokens_.next()) {
      if (token.kind == TokenKind::line_end) continue;
      if (token.kind == TokenKind::word && token.text == "num_ranks" && ranks_.empty()) {
        ranks_.resize(static_cast<std::size_t>(number("how many ranks there are", 1, kMostRanks)));
      } else if (token.kind == TokenKind::word && token.text == "rank" && !ranks_.empty()) {
        read_rank();
      } else {
        fail(ranks_.empty() ? "expected num_ranks" : "expected rank");
      }
    }
    if (ranks_.empty()) fail("there are no num_ranks");
    return std::move(ranks_);
  }

 private:
  void read_rank() {
    const auto last = static_cast<std::int64_t>(ranks_.size()) - 1;
    const std::int64_t rank = number("a rank", 0, last);
    GoalRank& into = ranks_[static_cast<std::size_t>(rank)];
    if (into.line != 0) fail("rank " + std::to_string(rank) + " has a schedule already");
    into.line = tokens_.line();
    expect("{");
    labels_.clear();
    for (Token token = tokens_.next();; token = tokens_.next()) {
      if (token.kind == TokenKind::line_end) continue;
      if (token.kind == TokenKind::symbol && token.text == "}") return;
      if (token.kind == TokenKind::end) fail("the schedule of a rank has no '}'");
      if (token.kind != TokenKind::word) fail("expected a label, calc, send, recv or '}'");
      read_line(token.text, into);
    }
  }

  void read_line(const std::string& first, GoalRank& into) {
    if (is_op(first)) return read_op(first, into);
    const Token second = tokens_.next();
    if (second.kind == TokenKind::symbol && second.text == ":") {
      if (!labels_.emplace(first, static_cast<StepId>(into.ops.size())).second) {
        fail("label " + first + " is given twice");
      }
      const std::string op = word("calc, send or recv");
      if (!is_op(op)) fail("expected calc, send or recv");
      return read_op(op, into);
    }
    const bool is_of_start = second.text == "irequires";
    if (second.kind != TokenKind::word || (!is_of_start && second.text != "requires")) {
      fail("expected ':', requires or irequires after " + first);
    }
    const std::string other = word("a label");
    into.waits.push_back({labelled(first), labelled(other), is_of_start, tokens_.line()});
    expect_line_end(tokens_.next());
  }

  static bool is_op(const std::string& word) {
    return word == "calc" || word == "send" || word == "recv";
  }

  void read_op(const std::string& name, GoalRank& into) {
    GoalOp op{.line = tokens_.line()};
    op.size = number(name == "calc" ? "a time in ns" : "a number of bytes", 0, INT64_MAX);
    if (name == "calc") {
      op.kind = StepKind::copy;
    } else {
      const bool is_send = name == "send";
      op.kind = is_send ? StepKind::send : StepKind::recv;
      expect_word("b");
      expect_word(is_send ? "to" : "from");
      const auto last = static_cast<std::int64_t>(ranks_.size()) - 1;
      op.peer = static_cast<Rank>(number("a rank", -1, last));
      if (op.peer < 0) fail("who sends must be known here: -1 is no rank");
    }
    Token token = tokens_.next();
    for (; token.kind == TokenKind::word; token = tokens_.next()) read_attribute(token.text, op);
    expect_line_end(token);
    if (into.ops.size() >= INT32_MAX) fail("more than 2^31 operations of a rank");
    into.ops.push_back(op);
  }

  void read_attribute(const std::string& name, GoalOp& op) {
    if (name == "tag" && op.kind != StepKind::copy) {
      op.tag = number("a tag", -1, kMostTag);
      if (op.tag < 0) fail("tags must be known here: -1 is none");
    } else if (name == "cpu" || (name == "nic" && op.kind != StepKind::copy)) {
      if (number("a number of a " + name, 0, 255) != 0) {
        fail("a rank has one CPU and one NIC here, of number 0");
      }
    } else {
      fail("expected tag, cpu, nic or the end of the line, not " + name);
    }
  }

  [[nodiscard]] StepId labelled(const std::string& label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) fail("there is no label " + label + " before");
    return found->second;
  }

  std::int64_t number(const std::string& what, std::int64_t least, std::int64_t most) {
    const Token token = tokens_.next();
    if (token.kind != TokenKind::number || token.number < least || token.number > most) {
      fail("expected " + what + (most < kMostTag ? ", of at most " + std::to_string(most) : ""));
    }
    return token.number;
  }
  std::string word(const std::string& what) {
    Token token = tokens_.next();
    if (token.kind != TokenKind::word) fail("expected " + what);
    return std::move(token.text);
  }
  void expect_word(const std::string& text) {
    if (word(text) != text) fail("expected " + text);
  }
  void expect(const std::string& symbol) {
    const Token token = tokens_.next();
    if (token.kind != TokenKind::symbol || token.text != symbol) fail("expected '" + symbol + "'");
  }
  void expect_line_end(const Token& token) const {
    if (token.kind != TokenKind::line_end) fail("expected the end of the line");
  }
  [[noreturn]] void fail(const std::string& what) const { throw BadGoal(tokens_.line(), what); }

  Tokens tokens_;
  std::vector<GoalRank> ranks_;
  std::unordered_map<std::string, StepId> labels_;  // of the rank
};

// Gives both ends of each message one number, and a receive the bytes that come.
void match(std::vector<GoalRank>& ranks, Goal& goal) {
  using Key = std::tuple<Rank, Rank, std::int64_t>;
  std::map<Key, std::deque<GoalOp*>> sends;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (GoalOp& op : ranks[rank].ops) {
      if (op.kind != StepKind::send) continue;
      sends[{static_cast<Rank>(rank), op.peer, op.tag}].push_back(&op);
      ++goal.messages;
      if (__builtin_add_overflow(goal.bytes, op.size, &goal.bytes)) {
        throw BadGoal(op.line, "all messages together have over 2^63 bytes");
      }
    }
  }
  std::map<std::pair<Rank, Rank>, std::int32_t> matched;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (GoalOp& op : ranks[rank].ops) {
      if (op.kind != StepKind::recv) continue;
      auto& queue = sends[{op.peer, static_cast<Rank>(rank), op.tag}];
      if (queue.empty()) throw BadGoal(op.line, "nobody sends the message");
      op.ordinal = queue.front()->ordinal = matched[{op.peer, static_cast<Rank>(rank)}]++;
      op.size = queue.front()->size;
      queue.pop_front();
    }
  }
  for (const auto& [key, left] : sends) {
    if (!left.empty()) throw BadGoal(left.front()->line, "nobody receives the message");
  }
}

// What each op waits for, once those that are of a start are of what that start waits for.
class GoalOrder {
 public:
  explicit GoalOrder(const GoalRank& rank) : rank_(rank), waits_(rank.ops.size()) {
    std::vector<std::vector<StepId>> later(rank.ops.size());
    std::vector<int> left(rank.ops.size());
    for (const GoalWait& wait : rank.waits) {
      later[at(wait.earlier)].push_back(wait.later);
      ++left[at(wait.later)];
    }
    // Of those that may come next the first in the file.
    std::priority_queue<StepId, std::vector<StepId>, std::greater<>> ready;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i] == 0) ready.push(static_cast<StepId>(i));
    }
    while (!ready.empty()) {
      const StepId next = ready.top();
      ready.pop();
      order_.push_back(next);
      for (const StepId each : later[at(next)]) {
        if (--left[at(each)] == 0) ready.push(each);
      }
    }
    if (order_.size() < rank.ops.size()) {
      const auto circle = std::ranges::find_if(
          rank.waits, [&](const GoalWait& wait) { return left[at(wait.later)] > 0; });
      throw BadGoal(circle->line, "operations wait for each other in a circle");
    }
    resolve();
  }

  [[nodiscard]] Schedule schedule(Rank me) const {
    Schedule schedule{.rank = me};
    std::vector<StepId> place(order_.size());
    for (const StepId id : order_) {
      place[at(id)] = static_cast<StepId>(schedule.steps.size());
      const GoalOp& op = rank_.ops[at(id)];
      Step step{.kind = op.kind, .peer = op.peer, .ordinal = op.ordinal};
      step.from.span.count = step.to.span.count = op.size;
      step.first_wait = static_cast<std::int32_t>(schedule.waits.size());
      for (const StepId each : waits_[at(id)]) schedule.waits.push_back(place[at(each)]);
      step.waits = static_cast<std::int32_t>(waits_[at(id)].size());
      schedule.steps.push_back(step);
    }
    return schedule;
  }

 private:
  // Of a rank. Starts that wait for starts could make a short file's many.
  static constexpr std::size_t kMostWaits = std::size_t{1} << 26;

  static std::size_t at(StepId id) { return static_cast<std::size_t>(id); }

  void resolve() {
    std::vector<std::vector<const GoalWait*>> of(rank_.ops.size());
    for (const GoalWait& wait : rank_.waits) of[at(wait.later)].push_back(&wait);
    std::size_t all = 0;
    for (const StepId id : order_) {
      auto& mine = waits_[at(id)];
      for (const GoalWait* wait : of[at(id)]) {
        if (wait->is_of_start) {
          const auto& theirs = waits_[at(wait->earlier)];
          mine.insert(mine.end(), theirs.begin(), theirs.end());
        } else {
          mine.push_back(wait->earlier);
        }
      }
      std::ranges::sort(mine);
      mine.erase(std::ranges::unique(mine).begin(), mine.end());
      all += mine.size();
      if (all > kMostWaits) {
        throw BadGoal(rank_.ops[at(id)].line, "operations wait for too many others");
      }
    }
  }

  const GoalRank& rank_;
  std::vector<StepId> order_;
  std::vector<std::vector<StepId>> waits_;
};

}  // namespace

Goal read_goal(std::istream& text) {
  std::vector<GoalRank> ranks = GoalReader(text).read();
  Goal goal;
  match(ranks, goal);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    goal.ranks.push_back(GoalOrder(ranks[rank]).schedule(static_cast<Rank>(rank)));
    double& calc = goal.calc_ns.emplace_back();
    for (const GoalOp& op : ranks[rank].ops) {
      if (op.kind == StepKind::copy) calc += static_cast<double>(op.size);
    }
    ranks[rank] = {};
  }
  return goal;
}

}  // namespace stretto::replay
