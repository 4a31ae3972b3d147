#include "engine/plan.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/config.hpp"

namespace stretto {
namespace {

// What a block of the heap takes in glibc, and about as much elsewhere: its size is kept beside
// it, and 16 bytes are the grain.
constexpr std::size_t block(std::size_t bytes) {
  return std::max<std::size_t>((bytes + sizeof(std::size_t) + 15) / 16 * 16, 32);
}

template <class T>
std::size_t bytes_of(const std::vector<T>& elements) {
  return elements.capacity() == 0 ? 0 : block(elements.capacity() * sizeof(T));
}

// What `kind` of steps exchange, and for each of them where in the result, from `first` on.
std::vector<Plan::Traffic> traffic(const Schedule& schedule, StepKind kind, std::size_t first,
                                   std::vector<std::int32_t>& traffic_of) {
  std::unordered_map<Rank, std::int32_t> place;
  std::vector<Plan::Traffic> result;
  for (std::size_t s = 0; s < schedule.steps.size(); ++s) {
    const Step& step = schedule.steps[s];
    if (step.kind != kind) continue;
    const auto next = static_cast<std::int32_t>(result.size());
    const auto [found, is_new] = place.try_emplace(step.peer, next);
    if (is_new) result.push_back({step.peer, 0});
    ++result[static_cast<std::size_t>(found->second)].messages;
    traffic_of[s] = static_cast<std::int32_t>(first) + found->second;
  }
  return result;
}

bool is_of(const Step& reduction, const Step& received) {
  return reduction.kind == StepKind::reduce &&
         (reduction.from == received.to || reduction.to == received.to);
}

bool meet(const Region& one, const Region& other) {
  return one.buffer == other.buffer && one.span.offset < other.span.offset + other.span.count &&
         other.span.offset < one.span.offset + one.span.count;
}

bool reads(const Step& step, const Region& region) {
  return (step.kind != StepKind::recv && meet(step.from, region)) ||
         (step.kind == StepKind::reduce && meet(step.to, region));
}

// Each receive is compared with each step, which in long schedules takes longer than it may save.
constexpr std::size_t kMostCompared = 64;

// Where the result takes its place whoever reads the operand comes before the reduction. Else it
// must be nobody's: not the program's either, which has what is received in its buffer.
bool is_last_use(const std::vector<Step>& steps, const Step& received, const Step& reduction) {
  if (reduction.to == received.to) return true;
  if (received.to.buffer != Buffer::scratch || steps.size() > kMostCompared) return false;
  return std::ranges::none_of(
      steps, [&](const Step& each) { return &each != &reduction && reads(each, received.to); });
}

}  // namespace

Plan::Plan(const Algorithm& made_by, Schedule built)
    : schedule(std::move(built)), algorithm(&made_by), traffic_of(schedule.steps.size(), -1) {
  sent = traffic(schedule, StepKind::send, 0, traffic_of);
  received = traffic(schedule, StepKind::recv, sent.size(), traffic_of);
  // It may stay for long, and builders reserve what they might need.
  schedule.steps.shrink_to_fit();
  schedule.waits.shrink_to_fit();
  const std::size_t steps = schedule.steps.size();
  first_dependent.assign(steps + 1, 0);
  for (const StepId awaited : schedule.waits) {
    ++first_dependent[static_cast<std::size_t>(awaited) + 1];
  }
  for (std::size_t s = 0; s < steps; ++s) first_dependent[s + 1] += first_dependent[s];

  dependents.resize(schedule.waits.size());
  std::vector<std::int32_t> next(first_dependent.begin(), first_dependent.end() - 1);
  for (std::size_t s = 0; s < steps; ++s) {
    const Step& step = schedule.steps[s];
    if (step.waits == 0) ready.push_back(static_cast<StepId>(s));
    for (const StepId awaited : schedule.waits_of(step)) {
      dependents[static_cast<std::size_t>(next[static_cast<std::size_t>(awaited)]++)] =
          static_cast<StepId>(s);
    }
  }
  find_reductions();
  ready.shrink_to_fit();
  sent.shrink_to_fit();
  received.shrink_to_fit();
}

void Plan::find_reductions() {
  const std::vector<Step>& steps = schedule.steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].kind != StepKind::recv) continue;
    for (auto d = first_dependent[s]; d < first_dependent[s + 1]; ++d) {
      const StepId dependent = dependents[static_cast<std::size_t>(d)];
      const Step& reduction = steps[static_cast<std::size_t>(dependent)];
      if (!is_of(reduction, steps[s])) continue;
      if (reductions.empty()) reductions.resize(steps.size());
      reductions[s] = {dependent, is_last_use(steps, steps[s], reduction)};
    }
  }
}

std::size_t Plan::bytes() const {
  // A plan that is shared has its counts beside it.
  return block(sizeof(Plan) + 2 * sizeof(long)) + bytes_of(schedule.steps) +
         bytes_of(schedule.waits) + bytes_of(ready) + bytes_of(first_dependent) +
         bytes_of(dependents) + bytes_of(sent) + bytes_of(received) + bytes_of(traffic_of) +
         bytes_of(reductions);
}

std::size_t PlanCache::Hash::operator()(const Key& key) const {
  std::size_t hash = reinterpret_cast<std::size_t>(key.algorithm);
  const auto mix = [&hash](auto value) {
    hash = (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  };
  mix(key.shape.size);
  mix(key.shape.count);
  mix(key.shape.segment);
  mix(key.shape.radix);
  mix(key.shape.root);
  mix(key.shape.first_group);
  mix((key.shape.in_place ? 2 : 0) + (key.shape.commutative ? 1 : 0));
  mix(key.me);
  if (key.layout) mix(key.layout->hash());
  return hash;
}

void PlanCache::read_setting() {
  const std::optional<long> mib = number_setting("STRETTO_PLANS_MIB", 0);
  if (!mib) return;
  constexpr long kMostMib = 1L << 40;  // in bytes it has to be a number, too
  const std::lock_guard lock(mutex_);
  most_bytes_ = static_cast<std::size_t>(std::min(*mib, kMostMib)) << 20;
}

PlanCache::Table& PlanCache::table_of(const Graph* graph) {
  return graph == nullptr ? known_ : of_graph_[graph];
}

std::size_t PlanCache::bytes() const {
  // Tables do not shrink, and hold as many buckets as they ever had plans.
  return entry_bytes_ + (known_.bucket_count() + plans_of_.bucket_count()) * sizeof(void*);
}

std::shared_ptr<const Plan> PlanCache::get(const Algorithm& algorithm, const Shape& shape, Rank me,
                                           std::shared_ptr<const Layout> layout) {
  const Key key{&algorithm, shape, me, std::move(layout)};
  const std::lock_guard lock(mutex_);
  Table& table = table_of(shape.graph.get());
  if (const auto found = table.find(key); found != table.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    ++counts_.reused;
    return recent_.front().plan;
  }
  const Layout unknown;
  const Layout& of_ranks = key.layout ? *key.layout : unknown;
  auto plan = std::make_shared<const Plan>(algorithm, algorithm.build(shape, of_ranks, me));
  ++counts_.built;
  // Nodes of a list and of a table: two pointers more, and one and the hash.
  constexpr std::size_t kNodes =
      block(sizeof(Entry) + 2 * sizeof(void*)) +
      block(sizeof(Table::value_type) + sizeof(void*) + sizeof(std::size_t));
  // A graph has a table of its own, most with a plan or two: node, buckets, and a bucket here.
  constexpr std::size_t kTable = block(sizeof(Table) + 2 * sizeof(void*) + sizeof(std::size_t)) +
                                 block(13 * sizeof(void*)) + 2 * sizeof(void*);
  const std::size_t bytes = plan->bytes() + kNodes + (shape.graph ? kTable : 0);
  // Plans share a layout, and outlive the communicator that it is of.
  const std::size_t layout_bytes = bytes_of_new(key.layout.get());
  // What fills the cache by itself would only drive out all others.
  if (bytes + layout_bytes > most_bytes_) {
    if (shape.graph && table.empty()) of_graph_.erase(shape.graph.get());
    return plan;
  }
  recent_.push_front({key, plan, bytes});
  table[key] = recent_.begin();
  entry_bytes_ += bytes + layout_bytes;
  if (key.layout) ++plans_of_[key.layout.get()];
  while (this->bytes() > most_bytes_ && !recent_.empty()) drop(std::prev(recent_.end()));
  return plan;
}

std::size_t PlanCache::bytes_of_new(const Layout* layout) const {
  // With its node of that table.
  constexpr std::size_t kNode =
      block(sizeof(std::pair<const Layout*, int>) + sizeof(void*) + sizeof(std::size_t));
  return layout == nullptr || plans_of_.contains(layout) ? 0 : block(layout->bytes()) + kNode;
}

// Of one plan less.
void PlanCache::give_back(const Layout* layout) {
  if (layout == nullptr) return;
  if (--plans_of_[layout] == 0) plans_of_.erase(layout);
  entry_bytes_ -= bytes_of_new(layout);
}

void PlanCache::drop(Recent::iterator entry) {
  entry_bytes_ -= entry->bytes;
  const Graph* const graph = entry->key.shape.graph.get();
  Table& table = table_of(graph);
  table.erase(entry->key);
  give_back(entry->key.layout.get());
  if (graph != nullptr && table.empty()) of_graph_.erase(graph);
  recent_.erase(entry);
}

void PlanCache::forget(const Graph& graph) {
  const std::lock_guard lock(mutex_);
  const auto found = of_graph_.find(&graph);
  if (found == of_graph_.end()) return;
  for (const auto& [key, entry] : found->second) {
    entry_bytes_ -= entry->bytes;
    give_back(entry->key.layout.get());
    recent_.erase(entry);
  }
  of_graph_.erase(found);
}

PlanCache::Counts PlanCache::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.reused += reused_unasked_.load(std::memory_order_relaxed);
  counts.plans = recent_.size();
  counts.bytes = bytes();
  return counts;
}

}  // namespace stretto
