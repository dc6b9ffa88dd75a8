// Limits of a training's step on a GPU.
#include "src/kg/train/cuda/step_sizes.h"

#include <gtest/gtest.h>

namespace vecc::kg {
namespace {

TEST(StepSizes, AChunkOfTooManyEntitiesIsRefused) {
  StepSizes sizes;
  sizes.negatives = (1u << 30) - 1;
  EXPECT_TRUE(step_grids({}, sizes));
  sizes.negatives = 1u << 30;
  const auto refused = step_grids({}, sizes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::LimitShape);
  EXPECT_NE(refused.error().text().find("found 1073741824 entities"), std::string::npos);
}

}  // namespace
}  // namespace vecc::kg
