#include "replay/sections.hpp"

#include <algorithm>

namespace stretto::replay {

using trace::OpKind;

void RankSections::did(const trace::Op& op, double ns, double waiting_ns) {
  switch (op.kind) {
    case OpKind::compute:
      computes_ = true;
      computed_ns_ += ns;
      return;
    case OpKind::begin: {
      const int site = call_sites_[static_cast<std::size_t>(op.call_site)];
      open_[op.slot] = site;
      const SectionEnd what{.kind = SectionEndKind::collective, .call_site = site};
      arrive(what);
      phase_ = site;
      ++call(what, CallShare::waiting).count;
      SectionTotal& total = call(what, CallShare::transfer);
      ++total.count;
      total.bytes += op.bytes;
      total.ns += ns;
      return;
    }
    case OpKind::finish: {
      const int site = open_[op.slot];
      open_.erase(op.slot);
      const auto kind = op.nonblocking ? SectionEndKind::wait : SectionEndKind::collective;
      arrive({.kind = kind, .call_site = site});
      phase_ = site;
      // The wait is of the call that began it.
      const SectionEnd begun{.kind = SectionEndKind::collective, .call_site = site};
      call(begun, CallShare::waiting).ns += waiting_ns;
      call(begun, CallShare::transfer).ns += ns - waiting_ns;
      return;
    }
    case OpKind::send:
    case OpKind::receive:
    case OpKind::see:
    case OpKind::keep:
    case OpKind::pass:
      break;
  }
  SectionEnd what{.kind = SectionEndKind::probe};
  if (op.kind == OpKind::send) what.kind = SectionEndKind::send;
  if (op.kind == OpKind::receive) what.kind = SectionEndKind::receive;
  if (op.kind == OpKind::pass) what.kind = SectionEndKind::other;
  arrive(what);
  SectionTotal& total = call(what);
  ++total.count;
  total.bytes += op.bytes;
  total.ns += ns;
}

void RankSections::arrive(const SectionEnd& at) {
  if (computes_) {
    SectionTotal& total = totals_[{.from = last_, .to = at, .phase = phase_}];
    ++total.count;
    total.ns += computed_ns_;
  }
  computes_ = false;
  computed_ns_ = 0;
  last_ = at;
}

SectionTotal& RankSections::call(const SectionEnd& what, CallShare share) {
  const int phase = what.call_site < 0 ? phase_ : -1;
  return totals_[{.is_call = true, .from = what, .to = what, .phase = phase, .share = share}];
}

RankSections Sections::of_rank(const std::vector<model::CallSite>& call_sites) {
  std::vector<int> numbers;
  for (const model::CallSite& each : call_sites) {
    const auto [found, is_new] = known_.emplace(std::tuple(each.function, each.object, each.offset),
                                                static_cast<int>(call_sites_.size()));
    if (is_new) call_sites_.push_back(each);
    numbers.push_back(found->second);
  }
  return RankSections(std::move(numbers));
}

void Sections::add(const RankSections& rank) {
  for (const auto& [section, total] : rank.totals()) {
    SectionSum& sum = sums_[section];
    // Where all of it was waiting, rounding may leave less than nothing.
    const double ns = std::max(total.ns, 0.0);
    sum.all.count += total.count;
    sum.all.bytes += total.bytes;
    sum.all.ns += ns;
    sum.most.count = std::max(sum.most.count, total.count);
    sum.most.bytes = std::max(sum.most.bytes, total.bytes);
    sum.most.ns = std::max(sum.most.ns, ns);
  }
}

}  // namespace stretto::replay
