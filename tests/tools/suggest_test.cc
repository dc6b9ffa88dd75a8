#include "tools/common/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace vecc::tools {
namespace {

TEST(Suggest, distances) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("epochs", "epcohs"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // not 2: nothing is edited twice
  EXPECT_EQ(edit_distance("abcd", "badc"), 2u);
}

TEST(Suggest, the_nearest_within_a_third) {
  const std::vector<std::string> names{"--epochs", "--early-stop", "--lr", "--log"};
  EXPECT_EQ(nearest_name("--epoch", names), "--epochs");
  EXPECT_EQ(nearest_name("--lg", names), "--lr");  // the first of two
  EXPECT_EQ(nearest_name("--frobnicate", names), std::nullopt);
  EXPECT_EQ(nearest_name("", {}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(1000, 'x'), names), std::nullopt);
}

}  // namespace
}  // namespace vecc::tools
