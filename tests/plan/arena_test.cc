// The arena: buffers that are live at once lie apart, the others share.
#include "src/plan/arena.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

PlanBuffer live(std::uint64_t elements, std::uint32_t first, std::uint32_t last) {
  PlanBuffer buffer;
  buffer.elements = elements;
  buffer.first = first;
  buffer.last = last;
  return buffer;
}

// The most that is live at once, each buffer from a multiple of 16 elements on.
std::uint64_t live_sum(std::span<const PlanBuffer> buffers, std::uint32_t launches) {
  std::uint64_t most = 0;
  for (std::uint32_t launch = 0; launch < launches; ++launch) {
    std::uint64_t sum = 0;
    for (const PlanBuffer& buffer : buffers) {
      const bool is_live = buffer.first <= launch && launch <= buffer.last;
      if (is_live) sum += (buffer.elements + 15) / 16 * 16;
    }
    most = std::max(most, sum);
  }
  return most;
}

void expect_apart(std::span<const PlanBuffer> buffers, std::uint64_t end) {
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    ASSERT_EQ(buffers[a].offset % 16, 0u);
    ASSERT_LE(buffers[a].offset + buffers[a].elements, end);
    for (std::size_t b = 0; b < a; ++b) {
      const bool same_time =
          buffers[a].first <= buffers[b].last && buffers[b].first <= buffers[a].last;
      const bool same_place = buffers[a].offset < buffers[b].offset + buffers[b].elements &&
                              buffers[b].offset < buffers[a].offset + buffers[a].elements;
      ASSERT_FALSE(same_time && same_place) << "buffers " << b << " and " << a;
    }
  }
}

TEST(Arena, TakesThePlaceOfWhatIsNoLongerRead) {
  std::vector<PlanBuffer> buffers = {live(32, 0, 1), live(32, 1, 2), live(32, 2, 3)};
  EXPECT_EQ(place_in_arena(buffers, 4), 64u);
  EXPECT_EQ(buffers[2].offset, buffers[0].offset);
}

TEST(Arena, TakesTheSmallestGapThatIsLargeEnough) {
  std::vector<PlanBuffer> buffers = {live(80, 0, 1), live(64, 0, 9), live(48, 0, 1), live(32, 0, 9),
                                     live(32, 2, 9)};
  EXPECT_EQ(place_in_arena(buffers, 10), 224u);
  EXPECT_EQ(buffers[4].offset, buffers[2].offset);
}

TEST(Arena, JoinsGapsSideBySide) {
  std::vector<PlanBuffer> buffers = {live(32, 0, 0), live(32, 0, 0), live(32, 0, 0),
                                     live(96, 1, 1)};
  EXPECT_EQ(place_in_arena(buffers, 2), 96u);
}

TEST(Arena, AGapAtTheEndGrows) {
  std::vector<PlanBuffer> buffers = {live(32, 0, 1), live(16, 0, 0), live(64, 1, 1)};
  EXPECT_EQ(place_in_arena(buffers, 2), 96u);
}

TEST(Arena, WhatStaysIsNeverOverwritten) {
  std::vector<PlanBuffer> buffers = {live(16, 0, 3), live(16, 1, 1), live(16, 2, 2)};
  EXPECT_EQ(place_in_arena(buffers, 3), 32u);
  EXPECT_NE(buffers[1].offset, buffers[0].offset);
  EXPECT_NE(buffers[2].offset, buffers[0].offset);
}

TEST(Arena, NothingAndOtherKindsTakeNoRoom) {
  std::vector<PlanBuffer> buffers = {live(0, 0, 0), live(100, 0, 0)};
  buffers[1].kind = PlanBuffer::Kind::Parameter;
  EXPECT_EQ(place_in_arena(buffers, 1), 0u);
}

TEST(Arena, TakesThePlaceThatItIsGiven) {
  std::vector<PlanBuffer> buffers = {live(32, 0, 1), live(32, 1, 2), live(32, 2, 3)};
  EXPECT_EQ(place_in_arena(buffers, 4, std::vector<BufferIndex>{kNone, 0, 1}), 32u);
}

TEST(Arena, TakesAPlaceThatIsTakenInTheSameLaunch) {
  std::vector<PlanBuffer> buffers = {live(32, 1, 2), live(32, 1, 1), live(32, 0, 1)};
  EXPECT_EQ(place_in_arena(buffers, 3, std::vector<BufferIndex>{1, 2, kNone}), 32u);
}

TEST(Arena, APlaceThatIsTakenIsFreeLater) {
  std::vector<PlanBuffer> buffers = {live(32, 0, 1), live(32, 1, 2), live(32, 2, 3),
                                     live(32, 3, 3)};
  EXPECT_EQ(place_in_arena(buffers, 4, std::vector<BufferIndex>{kNone, 0, kNone, kNone}), 64u);
  EXPECT_NE(buffers[2].offset, buffers[1].offset);
  EXPECT_EQ(buffers[3].offset, buffers[1].offset);
}

// Launches 0 and 1 run at once, then 2 and 3.
TEST(Arena, LivesOfLevels) {
  std::vector<Launch> launches(4);
  launches[2].level = launches[3].level = 1;
  std::vector<PlanBuffer> buffers = {live(16, 0, 0), live(16, 1, 2), live(16, 3, 4)};
  live_by_level(launches, buffers);
  EXPECT_EQ(buffers[0].last, 1u);
  EXPECT_EQ(buffers[1].first, 0u);
  EXPECT_EQ(buffers[1].last, 3u);
  EXPECT_EQ(buffers[2].first, 2u);
  EXPECT_EQ(buffers[2].last, 4u);
  EXPECT_EQ(place_in_arena(buffers, 4), 32u);
}

TEST(Arena, RandomLives) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    RandomSource random(seed);
    const std::uint32_t launches = 1 + random.below(30);
    std::vector<PlanBuffer> buffers;
    std::uint64_t all = 0;
    for (int i = 0; i < 60; ++i) {
      const std::uint32_t first = random.below(launches);
      const std::uint32_t last = random.between(first, std::min(first + 4, launches));
      buffers.push_back(live(1 + random.below(300), first, last));
      all += (buffers.back().elements + 15) / 16 * 16;
    }
    std::vector<PlanBuffer> again = buffers;
    const std::uint64_t end = place_in_arena(buffers, launches);
    expect_apart(buffers, end);
    EXPECT_GE(end, live_sum(buffers, launches));
    EXPECT_LE(end, all);
    EXPECT_EQ(place_in_arena(again, launches), end);
    for (std::size_t b = 0; b < buffers.size(); ++b) EXPECT_EQ(again[b].offset, buffers[b].offset);
  }
}

}  // namespace
}  // namespace vecc::test
