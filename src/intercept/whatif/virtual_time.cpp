#include "intercept/whatif/virtual_time.hpp"

#include <utility>

namespace stretto::intercept::whatif {

using trace::OpKind;

namespace {

model::CallSite described(const CallSiteKey& key) {
  const CodePlace place = place_of(key.caller, key.line);
  return {.function = key.function,
          .object = place.object,
          .offset = static_cast<std::int64_t>(place.offset),
          .symbol = place.symbol,
          .is_source = place.is_source,
          .ranks = key.size};
}

}  // namespace

void VirtualTime::open(const std::vector<model::Scenario>& scenarios,
                       const std::vector<std::vector<Rank>>& places, int rank) {
  scenarios_ = &scenarios;
  time_ = std::make_unique<model::RankTime>(scenarios, places, rank);
}

void VirtualTime::record(const std::string& path, int rank, int size, const Location& location) {
  recorder_ = std::make_unique<trace::Recorder>(path, rank, size, location);
}

std::span<const double> VirtualTime::now() {
  settle();
  return time_->now();
}

double VirtualTime::computed_ns() {
  settle();
  return time_->computed_ns();
}

double VirtualTime::seen(std::size_t scenario) const {
  const auto computed = static_cast<double>(computed_.value_or(0));
  return time_->now()[scenario] + computed * (*scenarios_)[scenario].computing;
}

void VirtualTime::settle() {
  const auto computed = std::exchange(computed_, std::nullopt);
  if (!computed) return;
  time_->compute(static_cast<double>(*computed));
  if (recorder_) recorder_->lasted(OpKind::compute, *computed);
}

void VirtualTime::compute(std::int64_t ns) { computed_ = computed_.value_or(0) + ns; }

void VirtualTime::pass(std::int64_t ns) {
  settle();
  time_->pass(static_cast<double>(ns));
  if (recorder_) recorder_->lasted(OpKind::pass, ns);
}

void VirtualTime::send(int to, std::int64_t bytes, std::span<double> arrivals) {
  settle();
  time_->send(to, bytes, arrivals);
  if (recorder_) recorder_->did({.kind = OpKind::send, .peer = to, .bytes = bytes});
}

void VirtualTime::receive(std::span<const ClockMessage> messages) {
  settle();
  arrived_.clear();
  for (const ClockMessage& each : messages) {
    arrived_.push_back({.from = each.sender, .bytes = each.bytes, .times = each.times.data()});
  }
  time_->receive(arrived_);
  if (!recorder_) return;
  trace::Op op{.kind = OpKind::receive};
  for (const ClockMessage& each : messages) {
    op.taken.push_back(each.taken);
    if (each.taken.from == trace::kKept) kept_.release(each.taken.position);
  }
  recorder_->did(op);
}

void VirtualTime::see(const ClockMessage& message) {
  settle();
  time_->see(message.times);
  if (recorder_) recorder_->did({.kind = OpKind::see, .taken = {message.taken}});
}

ClockMessage VirtualTime::keep(ClockMessage message) {
  settle();
  time_->see(message.times);
  if (!recorder_) return message;
  const int slot = kept_.take();
  recorder_->did({.kind = OpKind::keep, .taken = {message.taken}, .slot = slot});
  message.taken = {.from = trace::kKept, .position = slot};
  return message;
}

OpenCall VirtualTime::begin(const CallSiteKey& call_site, const trace::Op& what) {
  settle();
  OpenCall open{{.call_site = index_of(call_site), .bytes = what.bytes}};
  if (!recorder_) return open;
  trace::Op op = what;
  op.slot = open.slot = begun_.take();
  op.call_site = open.call_site;
  recorder_->did(op);
  return open;
}

void VirtualTime::finish(const OpenCall& open, model::Waiting waiting, const ClockMessage& ends) {
  settle();
  time_->finish(open, waiting, ends.free, ends.times);
  finished(open, waiting);
}

void VirtualTime::finish(const OpenCall& open, std::span<const ClockMessage> blocks) {
  settle();
  arrived_.clear();
  for (const ClockMessage& each : blocks) {
    arrived_.push_back({each.sender, each.bytes, each.times.data(), each.free[0]});
  }
  time_->finish(open, arrived_);
  using model::Waiting;
  finished(open, open.exchange->nonblocking ? Waiting::nonblocking : Waiting::blocking);
}

void VirtualTime::finished(const OpenCall& open, model::Waiting waiting) {
  if (!recorder_) return;
  begun_.release(open.slot);
  recorder_->did({.kind = OpKind::finish,
                  .slot = open.slot,
                  .nonblocking = waiting == model::Waiting::nonblocking,
                  .meets = waiting == model::Waiting::meeting});
}

void VirtualTime::abandon(const OpenCall& open) {
  if (recorder_) begun_.release(open.slot);
}

int VirtualTime::add(std::int64_t id, const std::vector<int>& members) {
  return recorder_ ? recorder_->add(trace::Comm{.id = id, .members = members}) : 0;
}

int VirtualTime::index_of(const CallSiteKey& call_site) {
  const auto known = call_sites_.find(call_site);
  if (known != call_sites_.end()) return known->second;
  const int index = time_->add_call_site();
  // In a trace they have the same numbers.
  if (recorder_) static_cast<void>(recorder_->add(described(call_site)));
  call_sites_.emplace(call_site, index);
  return index;
}

VirtualTime::CallSites VirtualTime::call_sites() const {
  CallSites all;
  for (const auto& [call_site, index] : call_sites_) {
    const model::CallSiteTimes& times = time_->at_call_site(index);
    if (times.calls > 0) all.emplace_back(described(call_site), times);
  }
  return all;
}

std::optional<std::string> VirtualTime::end_record(trace::Ending ending) {
  settle();
  ending.ends.assign(time_->now().begin(), time_->now().end());
  const bool written = recorder_->end(ending);
  const std::string why_not = recorder_->why_not();
  recorder_.reset();
  if (written) return {};
  return why_not.empty() ? "its file cannot be written" : why_not;
}

}  // namespace stretto::intercept::whatif
