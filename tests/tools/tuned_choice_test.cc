// A tuned choice of -O3 that is damaged on the disk is not used.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "process.h"
#include "tools/common/cost_cache.h"

namespace vecc::test {
namespace {

TEST(TunedChoice, no_flipped_bit_makes_another_choice) {
  const std::string cache = test_folder() + "/cache";
  const std::string before = std::getenv("VECC_CACHE_DIR");
  setenv("VECC_CACHE_DIR", cache.c_str(), 1);
  const Fingerprint program{.high = 1, .low = 2};
  ASSERT_TRUE(tools::save_tuned(program, "cpu", "cpu", {"margin_L", PadMode::Any}));
  ASSERT_TRUE(tools::load_tuned(program, "cpu", "cpu"));
  std::string path;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache)) {
    if (entry.is_regular_file()) path = entry.path();
  }
  const std::string whole = read_text(path);
  ASSERT_FALSE(whole.empty());
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    write_text(path, damaged);
    EXPECT_FALSE(tools::load_tuned(program, "cpu", "cpu")) << "bit " << bit;
  }
  setenv("VECC_CACHE_DIR", before.c_str(), 1);
}

}  // namespace
}  // namespace vecc::test
