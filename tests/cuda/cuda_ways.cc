// What tests/backends tests here: the cuda backend; where there is no GPU its kernels are compiled,
// and the interpreter's results stand for theirs; where there is no NVRTC either all is skipped.
#include <gtest/gtest.h>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/nvrtc.h"
#include "tests/backends/program_check.h"
#include "tests/cuda/compiled_only.h"

namespace vecc::test {
namespace {

class NeedsCompiler final : public testing::Environment {
 public:
  void SetUp() override {
    const auto compiler = cuda::find_device_compiler();
    if (!compiler) GTEST_SKIP() << compiler.error().text();
  }
};

const testing::Environment* const needs_compiler =
    testing::AddGlobalTestEnvironment(new NeedsCompiler);

}  // namespace

const std::vector<Way>& tested_ways() {
  const Device gpu{Device::Kind::Cuda, 0};
  static const std::vector<Way> ways{cuda_backend().available(gpu)
                                         ? Way{.name = "cuda",
                                               .backend = &cuda_backend(),
                                               .options = {.device = gpu},
                                               .is_costly = true}
                                         : Way{.name = "cuda, compiled only",
                                               .backend = &compiled_only_backend(),
                                               .is_costly = true}};
  return ways;
}

}  // namespace vecc::test
