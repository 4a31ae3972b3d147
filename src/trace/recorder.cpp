#include "trace/recorder.hpp"

#include <utility>

#include "trace/op_bytes.hpp"

namespace stretto::trace {
namespace {

constexpr std::size_t kDurationsAtOnce = 65536;

template <class List, class... Rest>
Packer packed(const List& list, const Rest&... rest) {
  Packer packer;
  packer.number(list.size());
  for (const auto& each : list) pack(packer, each, rest...);
  return packer;
}

}  // namespace

Recorder::Recorder(const std::string& path, int rank, int size, const Location& location)
    : size_(size), file_(std::fopen(path.c_str(), "wxe")) {
  // What were buffered a child that fork() made would write again when it exits.
  if (file_ != nullptr) std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  Packer packer;
  packer.number(static_cast<std::uint64_t>(rank));
  packer.number(static_cast<std::uint64_t>(size));
  packer.number(static_cast<std::uint64_t>(location.host));
  packer.number(static_cast<std::uint64_t>(location.core_complex - kNoComplex));
  write(Tag::rank, packer);
}

void Recorder::lasted(OpKind kind, std::int64_t ns) {
  durations_.number(static_cast<std::uint64_t>(ns));
  ++lasted_;
  if (durations_.bytes().size() >= kDurationsAtOnce) write_durations();
  did({.kind = kind});
}

void Recorder::did(const Op& op) {
  const auto [found, is_new] = known_.emplace(op, static_cast<int>(ops_.size()));
  if (is_new) ops_.push_back(op);
  folding_.append(found->second);
  ++done_;
}

int Recorder::add(Comm comm) {
  comms_.push_back(std::move(comm));
  return static_cast<int>(comms_.size()) - 1;
}

int Recorder::add(model::CallSite call_site) {
  call_sites_.push_back(std::move(call_site));
  return static_cast<int>(call_sites_.size()) - 1;
}

bool Recorder::end(const Ending& ending) {
  write_durations();
  write(Tag::comms, packed(comms_));
  write(Tag::call_sites, packed(call_sites_));
  const Folded program = folding_.take();
  if (!counts_of(program, ops_)) why_not_ = "more happened than it can hold";
  try {
    write(Tag::ops, packed(ops_, bounds_of(size_, comms_, call_sites_.size())));
  } catch (const BadTrace& bad) {
    why_not_ = bad.what();
  }
  Packer loops;
  pack(loops, program);
  write(Tag::loops, loops);
  Packer last;
  last.number(ending.ends.size());
  for (const double end : ending.ends) last.real(end);
  last.real(ending.computed_ns).real(ending.blocked_ns).number(ending.flags.size());
  for (const auto& [name, count] : ending.flags) {
    last.text(name).number(static_cast<std::uint64_t>(count));
  }
  last.number(static_cast<std::uint64_t>(done_)).number(static_cast<std::uint64_t>(lasted_));
  write(Tag::ending, last);
  std::FILE* const file = file_.release();
  return file != nullptr && std::fclose(file) == 0 && written_ && why_not_.empty();
}

void Recorder::write_durations() {
  if (durations_.bytes().empty()) return;
  write(Tag::durations, durations_);
  durations_.clear();
}

void Recorder::write(Tag tag, const Packer& content) {
  // Its length has 32 bits.
  written_ = written_ && content.bytes().size() <= UINT32_MAX;
  if (written_) write(framed(tag, content.bytes()));
}

void Recorder::write(const Bytes& bytes) {
  written_ = written_ && file_ != nullptr &&
             std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
}

}  // namespace stretto::trace
