// Built without libtorch, the backend is there and says so.
#include <gtest/gtest.h>

#include "backends/torch/torch_backend.h"

namespace vecc {
namespace {

constexpr char kAbsent[] =
    "torch: error: built without libtorch: tools/run --torch, or configure with -DVECC_TORCH=ON "
    "[E060]";

TEST(TorchStub, IsNamedAndAbsent) {
  EXPECT_EQ(libtorch::torch_backend().name(), "torch");
  const auto available = libtorch::torch_backend().available({});
  ASSERT_FALSE(available);
  EXPECT_EQ(available.error().text(), kAbsent);
}

TEST(TorchStub, CompilesNothing) {
  EXPECT_EQ(libtorch::torch_backend().unsupported(Program()).size(), 1u);
  const auto compiled = libtorch::torch_backend().compile(Program(), {});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().text(), kAbsent);
}

}  // namespace
}  // namespace vecc
