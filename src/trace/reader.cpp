#include <algorithm>
#include <istream>
#include <optional>
#include <set>

#include "trace/format.hpp"
#include "trace/op_bytes.hpp"
#include "trace/trace.hpp"

namespace stretto::trace {
namespace {

constexpr std::size_t kHead = 5;  // a chunk's tag and length
constexpr std::size_t kSum = 4;

struct Chunk {
  Tag tag = Tag::about;
  std::uint64_t offset = 0;  // of its content
  Bytes content{};

  [[nodiscard]] Unpacker bytes() const { return {content, offset}; }
};

std::uint32_t word_at(const Bytes& bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word |= std::uint32_t{bytes[at + i]} << (8 * i);
  return word;
}

class Chunks {
 public:
  explicit Chunks(std::istream& file) : file_(file) {
    if (read(kMagic.size()) != Bytes(kMagic.begin(), kMagic.end())) {
      fail_at(0, "this is not a trace of stretto whatif --record");
    }
  }

  // The next one; nothing at the end of the file.
  std::optional<Chunk> next() {
    const std::uint64_t begin = at_;
    Bytes all = read(kHead);
    if (all.empty()) return {};
    if (all.size() < kHead) fail_at(at_, "the file is cut off");
    const std::uint32_t size = word_at(all, 1);
    // Piece by piece: the length may be wrong, and the file short.
    for (std::size_t left = size + kSum; left > 0;) {
      const Bytes part = read(std::min(left, std::size_t{1} << 20));
      if (part.empty()) fail_at(at_, "the file is cut off");
      all.insert(all.end(), part.begin(), part.end());
      left -= part.size();
    }
    const std::uint32_t sum = word_at(all, kHead + size);
    all.resize(kHead + size);
    if (crc32(0, all) != sum) fail_at(begin, "this part is damaged");
    Chunk chunk{.tag = static_cast<Tag>(all[0]), .offset = begin + kHead};
    chunk.content.assign(all.begin() + kHead, all.end());
    return chunk;
  }

  // Where the next one begins.
  [[nodiscard]] std::uint64_t at() const { return at_; }

  // The next one, which must be of this kind.
  Chunk expect(Tag tag) {
    auto chunk = next();
    if (!chunk) fail_at(at_, "the file is cut off");
    if (chunk->tag != tag) fail_at(chunk->offset - kHead, "another part belongs here");
    return std::move(*chunk);
  }

 private:
  // As much as there is.
  Bytes read(std::size_t size) {
    Bytes bytes(size);
    file_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<std::size_t>(file_.gcount()));
    at_ += bytes.size();
    return bytes;
  }

  std::istream& file_;
  std::uint64_t at_ = 0;
};

template <class Entry, class Unpack>
void read_list(const Chunk& chunk, std::vector<Entry>& list, Unpack unpack) {
  Unpacker bytes = chunk.bytes();
  const std::size_t count = bytes.count();
  for (std::size_t i = 0; i < count; ++i) list.push_back(unpack(bytes));
  bytes.finish();
}

void read_heading(const Chunk& chunk, RankTrace& rank) {
  Unpacker bytes = chunk.bytes();
  const auto number = bytes.number(kMostRanks - 1);
  rank.rank = static_cast<int>(number);
  rank.size = static_cast<int>(bytes.number(kMostRanks));
  rank.location.host = static_cast<int>(bytes.number(kMostRanks));
  rank.location.core_complex = static_cast<int>(bytes.number(kMostRanks)) + kNoComplex;
  if (rank.rank >= rank.size) fail_at(chunk.offset, "there is no such rank");
  if (rank.location.host >= rank.size) fail_at(chunk.offset, "there are more hosts than ranks");
  if (rank.location.core_complex >= rank.size) {
    fail_at(chunk.offset, "there are more core complexes than ranks");
  }
  bytes.finish();
}

std::int64_t count_numbers(const Chunk& chunk) {
  std::int64_t count = 0;
  for (Unpacker bytes = chunk.bytes(); !bytes.is_empty(); ++count) {
    static_cast<void>(bytes.number(INT64_MAX));
  }
  return count;
}

void read_ending(const Chunk& chunk, const ItemCounts& counts, RankTrace& rank) {
  Unpacker bytes = chunk.bytes();
  rank.ending.ends.resize(bytes.count());
  for (double& end : rank.ending.ends) end = bytes.real();
  rank.ending.computed_ns = bytes.real();
  rank.ending.blocked_ns = bytes.real();
  rank.ending.flags.resize(bytes.count());
  for (auto& [name, count] : rank.ending.flags) {
    name = bytes.text();
    count = static_cast<std::int64_t>(bytes.number(INT64_MAX));
  }
  const bool all = bytes.number() == static_cast<std::uint64_t>(counts.items) &&
                   bytes.number() == static_cast<std::uint64_t>(counts.durations);
  if (!all) fail_at(chunk.offset, "what happens is not as often as it should be");
  bytes.finish();
}

void refuse_twins(const Chunk& chunk, const std::vector<Comm>& comms) {
  std::set<std::int64_t> ids;
  for (const Comm& comm : comms) {
    if (!ids.insert(comm.id).second) fail_at(chunk.offset, "two communicators are the same one");
  }
}

RankTrace read_rank(const Chunk& heading, Chunks& chunks) {
  RankTrace rank;
  read_heading(heading, rank);
  std::optional<Chunk> chunk = chunks.next();
  std::int64_t durations = 0;
  for (; chunk && chunk->tag == Tag::durations; chunk = chunks.next()) {
    durations += count_numbers(*chunk);
    rank.durations.insert(rank.durations.end(), chunk->content.begin(), chunk->content.end());
  }
  if (!chunk) fail_at(chunks.at(), "the file is cut off");
  if (chunk->tag != Tag::comms) fail_at(chunk->offset - kHead, "another part belongs here");
  read_list(*chunk, rank.comms, [&](Unpacker& bytes) { return unpack_comm(bytes, rank); });
  refuse_twins(*chunk, rank.comms);
  read_list(chunks.expect(Tag::call_sites), rank.call_sites, unpack_call_site);
  const Bounds bounds = bounds_of(rank.size, rank.comms, rank.call_sites.size());
  read_list(chunks.expect(Tag::ops), rank.ops,
            [&](Unpacker& bytes) { return unpack_op(bytes, bounds); });
  const Chunk loops = chunks.expect(Tag::loops);
  Unpacker bytes = loops.bytes();
  rank.program = unpack_folded(bytes, rank);
  bytes.finish();
  const auto counts = counts_of(rank.program, rank.ops);
  if (!counts) fail_at(loops.offset, "more happens than can be counted");
  if (durations != counts->durations) {
    fail_at(loops.offset, "there are not as many durations as there should be");
  }
  read_ending(chunks.expect(Tag::ending), *counts, rank);
  return rank;
}

}  // namespace

std::string read_about(std::istream& file) {
  const Chunk about = Chunks(file).expect(Tag::about);
  return {about.content.begin(), about.content.end()};
}

Trace read_trace(std::istream& file) {
  Chunks chunks(file);
  Trace trace;
  const Chunk about = chunks.expect(Tag::about);
  trace.about.assign(about.content.begin(), about.content.end());
  while (const auto heading = chunks.next()) {
    if (heading->tag != Tag::rank) fail_at(heading->offset - kHead, "another part belongs here");
    trace.ranks.push_back(read_rank(*heading, chunks));
    const RankTrace& first = trace.ranks.front();
    const RankTrace& last = trace.ranks.back();
    if (last.size != first.size || last.ending.ends.size() != first.ending.ends.size()) {
      fail_at(heading->offset, "this rank is another run's");
    }
  }
  std::sort(trace.ranks.begin(), trace.ranks.end(),
            [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
  const auto size = trace.ranks.empty() ? 1 : static_cast<std::size_t>(trace.ranks[0].size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    if (rank >= trace.ranks.size() || trace.ranks[rank].rank != static_cast<int>(rank)) {
      fail_at(chunks.at(), "rank " + std::to_string(rank) + " is missing, or there twice");
    }
  }
  if (trace.ranks.size() != size) {
    fail_at(chunks.at(), "there are more ranks than the program had");
  }
  return trace;
}

}  // namespace stretto::trace
