#include "optimizer/rewrite/shared_hashes.h"

#include <gtest/gtest.h>

#include <map>

#include "src/support/list_threads.h"
#include "tests/support/random_source.h"

namespace vecc::opt {
namespace {

// All that are there more than once are found, of the others few, and the same by any threads;
// those that are known to be equal to another are not asked about.
TEST(SharedHashes, are_among_those_that_are_found) {
  for (const std::uint32_t count : {0u, 1u, 2u, 1000u, 200000u}) {
    test::RandomSource random(5);
    UnsetArray<std::uint64_t> hashes(count);
    std::map<std::uint64_t, std::uint32_t> times;
    std::vector<std::uint32_t> first(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool again = i > 0 && random.below(100) == 0;
      hashes[i] = again ? hashes[random.below(i)]
                        : (std::uint64_t{i} + 1) * 0x9E3779B97F4A7C15ull * (2 * i + 1);
      first[i] = i % 50 == 7 ? i - 1 : i;
      if (first[i] == i) ++times[hashes[i]];
    }
    std::vector<std::uint32_t> one_thread;
    for (const std::uint32_t threads : {1, 3}) {
      const ListThreads scope(threads);
      const std::vector<std::uint32_t> found = perhaps_shared(hashes, first);
      std::vector<std::uint8_t> is_found(count);
      for (const std::uint32_t i : found) is_found[i] = 1;
      for (std::uint32_t i = 0; i < count; ++i) {
        const bool is_asked = first[i] == i;
        ASSERT_TRUE(is_found[i] ? is_asked : !is_asked || times[hashes[i]] == 1) << i;
      }
      EXPECT_LE(found.size(), count / 4);
      if (threads == 1) one_thread = found;
      EXPECT_EQ(found, one_thread);
    }
  }
}

}  // namespace
}  // namespace vecc::opt
