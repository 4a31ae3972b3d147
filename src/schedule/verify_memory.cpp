#include "schedule/verify_memory.hpp"

#include <algorithm>

namespace stretto {
namespace {

constexpr std::size_t kBuffers = 3;

std::size_t slot_of(Rank rank, Buffer buffer) {
  return static_cast<std::size_t>(rank) * kBuffers + static_cast<std::size_t>(buffer);
}

}  // namespace

Memory::Memory(const Proof& proof)
    : proof_(proof), sets_(proof.shape.size), ways_(proof.shape.size) {
  std::size_t total = 0;
  for (Rank rank = 0; rank < proof.shape.size; ++rank) {
    for (const Buffer buffer : {Buffer::send, Buffer::recv, Buffer::scratch}) {
      first_.push_back(total);
      total += static_cast<std::size_t>(
          buffer == Buffer::scratch ? proof.of(rank).scratch : extent(proof.shape, rank, buffer));
    }
  }
  symbols_.resize(total);
  for (Rank rank = 0; rank < proof.shape.size; ++rank) {
    for (const Buffer buffer : {Buffer::send, Buffer::recv}) {
      const Count elements = extent(proof.shape, rank, buffer);
      const std::span<Symbol> symbols = at(rank, {buffer, {0, elements}});
      for (Count i = 0; i < elements; ++i) {
        symbols[static_cast<std::size_t>(i)] = initial(proof.shape, rank, buffer, i);
      }
    }
  }
  if (proof.shape.collective != Collective::allreduce) return;
  for (const Symbol& symbol : symbols_) way_of_.push_back(symbol.ranks);
}

std::string Memory::move(Rank from_rank, const Region& from, Rank to_rank, const Region& to) {
  const std::span<const Symbol> source = at(from_rank, from);
  const std::span<Symbol> target = at(to_rank, to);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i].ranks == Symbol::kNothing) {
      return words("reads ", name_of(from.buffer), '[', from.span.offset + static_cast<Count>(i),
                   "] of rank ", from_rank, ", which nothing has written");
    }
    target[i] = source[i];
  }
  if (!way_of_.empty()) {
    const auto ways = std::span(way_of_).subspan(place(from_rank, from), source.size());
    std::ranges::copy(ways, way_of_.begin() + static_cast<std::ptrdiff_t>(place(to_rank, to)));
  }
  return {};
}

std::string Memory::reduce(Rank rank, const Region& from, const Region& to) {
  const std::span<const Symbol> left = at(rank, from);
  const std::span<Symbol> right = at(rank, to);
  Symbol last_left;  // neighbours mostly hold the same ranks: join those once
  Symbol last_right;
  RankSets::Id joined = RankSets::kRefused;
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (const auto& [region, symbol] : {std::pair(from, left[i]), std::pair(to, right[i])}) {
      if (symbol.ranks != Symbol::kNothing) continue;
      return words("reads ", name_of(region.buffer), '[',
                   region.span.offset + static_cast<Count>(i), "], which nothing has written");
    }
    if (joined == RankSets::kRefused || left[i].ranks != last_left.ranks ||
        right[i].ranks != last_right.ranks) {
      joined = sets_.join(left[i].ranks, right[i].ranks, !proof_.shape.commutative);
      last_left = left[i];
      last_right = right[i];
    }
    if (joined == RankSets::kRefused || left[i].element != right[i].element) {
      return wrong_join(left[i], right[i]);
    }
    right[i].ranks = joined;
  }
  if (!way_of_.empty()) {
    const auto lefts = std::span(way_of_).subspan(place(rank, from), left.size());
    const auto rights = std::span(way_of_).subspan(place(rank, to), left.size());
    for (std::size_t i = 0; i < lefts.size(); ++i) rights[i] = ways_.joined(lefts[i], rights[i]);
  }
  return {};
}

Count Memory::otherwise_added(Rank rank) const {
  if (way_of_.empty()) return -1;
  // Ranks of the other group get another sum.
  const Rank first = rank < proof_.shape.first_group ? 0 : proof_.shape.first_group;
  const Region result{Buffer::recv, {0, result_extent(proof_.shape, rank)}};
  const auto count = static_cast<std::size_t>(result.span.count);
  const auto own = std::span(way_of_).subspan(place(rank, result), count);
  const auto firsts = std::span(way_of_).subspan(place(first, result), count);
  const auto differs = std::ranges::mismatch(own, firsts).in1;
  return differs == own.end() ? -1 : differs - own.begin();
}

Count Memory::wrong_output(Rank rank) const {
  const std::span<const Symbol> symbols = output(rank);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const auto position = static_cast<Count>(i);
    if (symbols[i] != expected(proof_.shape, rank, position, sets_)) return position;
  }
  return -1;
}

std::string Memory::describe_output(Rank rank, Count position) const {
  const Symbol right = expected(proof_.shape, rank, position, sets_);
  return words("recv[", position, "] ends up with ",
               describe(output(rank)[static_cast<std::size_t>(position)]), " instead of ",
               describe(right));
}

std::size_t Memory::place(Rank rank, const Region& region) const {
  return first_[slot_of(rank, region.buffer)] + static_cast<std::size_t>(region.span.offset);
}

std::span<Symbol> Memory::at(Rank rank, const Region& region) {
  return std::span(symbols_).subspan(place(rank, region),
                                     static_cast<std::size_t>(region.span.count));
}

std::span<const Symbol> Memory::output(Rank rank) const {
  return std::span(symbols_).subspan(first_[slot_of(rank, Buffer::recv)],
                                     static_cast<std::size_t>(result_extent(proof_.shape, rank)));
}

std::string Memory::describe(Symbol symbol) const {
  if (symbol.ranks == Symbol::kNothing) return "nothing";
  return words("element ", symbol.element, " of ", sets_.describe(symbol.ranks));
}

std::string Memory::wrong_join(Symbol left, Symbol right) const {
  if (left.element != right.element) {
    return words("combines ", describe(left), " with ", describe(right));
  }
  const int twice = sets_.shared(left.ranks, right.ranks);
  if (twice >= 0) {
    return words("counts rank ", twice, " twice: the left operand holds ",
                 sets_.describe(left.ranks), ", the right ", sets_.describe(right.ranks));
  }
  return words("breaks rank order: the left operand holds ", sets_.describe(left.ranks),
               ", the right ", sets_.describe(right.ranks));
}

}  // namespace stretto
