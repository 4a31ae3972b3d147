#include "intercept/whatif/timeline.hpp"

#include <utility>

#include "intercept/shared/caller.hpp"

namespace stretto::intercept::whatif {

using trace::OpKind;

void Timeline::open(const std::vector<model::Scenario>& scenarios,
                    const std::vector<std::vector<Rank>>& places, int rank) {
  scenarios_ = &scenarios;
  clocks_ = std::make_unique<model::RankClocks>(scenarios, places, rank);
}

void Timeline::record(const std::string& path, int rank, int size, const Seat& seat) {
  recorder_ = std::make_unique<trace::Recorder>(path, rank, size, seat);
}

std::span<const double> Timeline::now() {
  settle();
  return clocks_->now();
}

double Timeline::seen(std::size_t scenario) const {
  const auto computed = static_cast<double>(computed_.value_or(0));
  return clocks_->now()[scenario] + computed * (*scenarios_)[scenario].computing;
}

void Timeline::settle() {
  const auto computed = std::exchange(computed_, std::nullopt);
  if (!computed) return;
  clocks_->compute(static_cast<double>(*computed));
  if (recorder_) recorder_->lasted(OpKind::compute, *computed);
}

void Timeline::compute(std::int64_t ns) { computed_ = computed_.value_or(0) + ns; }

void Timeline::pass(std::int64_t ns) {
  settle();
  clocks_->pass(static_cast<double>(ns));
  if (recorder_) recorder_->lasted(OpKind::pass, ns);
}

void Timeline::send(int to, std::int64_t bytes, std::span<double> arrivals) {
  settle();
  clocks_->send(to, bytes, arrivals);
  if (recorder_) recorder_->did({.kind = OpKind::send, .peer = to, .bytes = bytes});
}

void Timeline::receive(std::span<const Letter> letters) {
  settle();
  arrived_.clear();
  for (const Letter& each : letters) {
    arrived_.push_back({.from = each.sender, .bytes = each.bytes, .times = each.times.data()});
  }
  clocks_->receive(arrived_);
  if (!recorder_) return;
  trace::Op op{.kind = OpKind::receive};
  for (const Letter& each : letters) {
    op.taken.push_back(each.taken);
    if (each.taken.from == trace::kKept) kept_.release(each.taken.position);
  }
  recorder_->did(op);
}

void Timeline::see(const Letter& letter) {
  settle();
  clocks_->wait_until(letter.times);
  if (recorder_) recorder_->did({.kind = OpKind::see, .taken = {letter.taken}});
}

Letter Timeline::keep(Letter letter) {
  settle();
  clocks_->wait_until(letter.times);
  if (!recorder_) return letter;
  const int slot = kept_.take();
  recorder_->did({.kind = OpKind::keep, .taken = {letter.taken}, .slot = slot});
  letter.taken = {.from = trace::kKept, .position = slot};
  return letter;
}

int Timeline::begin(const SiteKey& site, const trace::Op& what) {
  settle();
  if (!recorder_) return 0;
  trace::Op op = what;
  op.slot = begun_.take();
  op.site = index_of(site);
  recorder_->did(op);
  return op.slot;
}

void Timeline::finish(int begun, const Letter& ends, bool nonblocking) {
  settle();
  if (nonblocking) {
    clocks_->complete(ends.free, ends.times);
  } else {
    clocks_->wait_until(ends.times);
  }
  finished(begun, nonblocking);
}

void Timeline::meet(int begun, const Letter& ends) {
  settle();
  clocks_->wait_until(ends.free);
  finished(begun, false, true);
}

void Timeline::finished(int begun, bool nonblocking, bool meets) {
  if (!recorder_) return;
  begun_.release(begun);
  recorder_->did(
      {.kind = OpKind::finish, .slot = begun, .nonblocking = nonblocking, .meets = meets});
}

model::Exchange Timeline::exchange(const trace::Op& what) const {
  return clocks_->exchange(what.collective, what.nonblocking);
}

void Timeline::send(model::Exchange& exchange, const trace::Block& block,
                    std::span<double> arrivals) {
  clocks_->send(exchange, block.to, block.bytes, arrivals);
}

model::RankClocks::Waited Timeline::finish(int begun, const model::Exchange& exchange,
                                           std::span<const Letter> letters) {
  settle();
  arrived_.clear();
  for (const Letter& each : letters) {
    arrived_.push_back({each.sender, each.bytes, each.times.data(), each.free[0]});
  }
  const auto waited = clocks_->finish(exchange, arrived_);
  finished(begun, exchange.nonblocking);
  return waited;
}

void Timeline::abandon(int begun) {
  if (recorder_) begun_.release(begun);
}

int Timeline::add(std::int64_t id, const std::vector<int>& members) {
  return recorder_ ? recorder_->add(trace::Comm{.id = id, .members = members}) : 0;
}

int Timeline::index_of(const SiteKey& site) {
  const auto known = sites_.find(site);
  if (known != sites_.end()) return known->second;
  const CodePlace place = place_of(site.caller);
  const int index = recorder_->add(trace::Site{.function = site.function,
                                               .object = place.object,
                                               .offset = static_cast<std::int64_t>(place.offset),
                                               .symbol = place.symbol,
                                               .ranks = site.size});
  sites_.emplace(site, index);
  return index;
}

std::optional<std::string> Timeline::end_record(trace::Ending ending) {
  settle();
  ending.ends.assign(clocks_->now().begin(), clocks_->now().end());
  const bool written = recorder_->end(ending);
  const std::string why_not = recorder_->why_not();
  recorder_.reset();
  if (written) return {};
  return why_not.empty() ? "its file cannot be written" : why_not;
}

}  // namespace stretto::intercept::whatif
