#include "transport/shm/ring.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace stretto::shm {
namespace {

constexpr RingSize kSmall{.lines = 8, .bytes = 256};

struct Memory {
  explicit Memory(RingSize size)
      : bytes(new (std::align_val_t(kLineBytes)) std::byte[size.memory()]{}) {}
  ~Memory() { ::operator delete[](bytes, std::align_val_t(kLineBytes)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::byte* bytes;
};

std::vector<std::byte> data_of(std::size_t count, unsigned first) {
  std::vector<std::byte> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<std::byte>(first + i);
  return data;
}

std::vector<std::byte> read(const FrameReader& reader) {
  std::vector<std::byte> all;
  for (const auto part : reader.data()) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void put_message(FrameWriter& writer, int tag, const std::vector<std::byte>& data) {
  writer.put({.tag = tag, .bytes = data.size()}, data.data(), data.size());
}

TEST(ShmRing, AnEmptyOneHasNothing) {
  const Memory memory(kSmall);
  EXPECT_FALSE(FrameReader(memory.bytes, kSmall).any());
}

TEST(ShmRing, FramesComeAsTheyWent) {
  const Memory memory(kSmall);
  FrameWriter writer(memory.bytes, kSmall);
  FrameReader reader(memory.bytes, kSmall);
  writer.put({.kind = Frame::Kind::offer, .tag = 3, .bytes = 1000, .id = 7, .address = 99});
  ASSERT_TRUE(reader.any());
  const Frame frame = reader.front();
  EXPECT_EQ(frame.kind, Frame::Kind::offer);
  EXPECT_EQ(frame.tag, 3);
  EXPECT_EQ(frame.bytes, 1000U);
  EXPECT_EQ(frame.id, 7U);
  EXPECT_EQ(frame.address, 99U);
  EXPECT_TRUE(read(reader).empty());
  reader.drop();
  EXPECT_FALSE(reader.any());
}

TEST(ShmRing, AFullOneHasNoRoomUntilAQuarterIsRead) {
  const Memory memory(kSmall);
  FrameWriter writer(memory.bytes, kSmall);
  FrameReader reader(memory.bytes, kSmall);
  for (unsigned i = 0; i < kSmall.lines; ++i) {
    ASSERT_TRUE(writer.fits(Frame::Kind::message, 1));
    put_message(writer, 0, data_of(1, i));
  }
  EXPECT_FALSE(writer.fits(Frame::Kind::message, 0));
  reader.drop();
  EXPECT_FALSE(writer.fits(Frame::Kind::message, 0));
  reader.drop();
  EXPECT_TRUE(writer.fits(Frame::Kind::message, 0));
}

// A message of each length, with what is left of the ring before it at each length.
TEST(ShmRing, DataGoRoundItsEnd) {
  for (std::size_t before = 0; before <= kSmall.bytes; ++before) {
    for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 64U, 191U}) {
      const Memory memory(kSmall);
      FrameWriter writer(memory.bytes, kSmall);
      FrameReader reader(memory.bytes, kSmall);
      for (std::size_t gone = 0; gone < before;) {
        const std::size_t some = std::min<std::size_t>(before - gone, 100);
        ASSERT_TRUE(writer.fits(Frame::Kind::message, some));
        writer.put({.kind = Frame::Kind::chunk, .bytes = some}, data_of(some, 0).data(), some);
        reader.drop();
        gone += some;
      }
      ASSERT_TRUE(writer.fits(Frame::Kind::message, count));
      put_message(writer, 5, data_of(count, 17));
      ASSERT_TRUE(reader.any());
      EXPECT_EQ(reader.front().bytes, count);
      if (before % 2 == 0) reader.take_lines();
      EXPECT_EQ(read(reader), data_of(count, 17)) << before;
    }
  }
}

class ShmRingOfTwo : public testing::TestWithParam<bool> {};

// What a line was before must never be taken for a new frame, whatever the data, nor may a reader
// who takes lines change what the writer writes meanwhile on one of them.
TEST_P(ShmRingOfTwo, AThreadReadsWhatAnotherWrites) {
  constexpr int kFrames = 20'000;
  const Memory memory(kSmall);
  std::jthread writes([&] {
    FrameWriter writer(memory.bytes, kSmall);
    std::mt19937 random(1);
    for (int i = 0; i < kFrames; ++i) {
      const std::size_t count = random() % 90;
      while (!writer.fits(Frame::Kind::message, count)) std::this_thread::yield();
      put_message(writer, i, data_of(count, static_cast<unsigned>(i)));
    }
  });
  FrameReader reader(memory.bytes, kSmall);
  std::mt19937 random(1);
  for (int i = 0; i < kFrames; ++i) {
    while (!reader.any()) std::this_thread::yield();
    ASSERT_EQ(reader.front().tag, i);
    if (GetParam()) reader.take_lines();
    ASSERT_EQ(read(reader), data_of(random() % 90, static_cast<unsigned>(i)));
    reader.drop();
  }
}

INSTANTIATE_TEST_SUITE_P(Lines, ShmRingOfTwo, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Taken" : "Left"; });

}  // namespace
}  // namespace stretto::shm
