// What tests/backends tests here: the cuda backend, however it starts its kernels; where there is
// no GPU its kernels are compiled, and the interpreter's results stand for theirs; where there is
// no NVRTC either all is skipped. VECC_TEST_LAUNCH: only the ways that it names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

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

namespace {

std::vector<Way> find_ways() {
  if (!cuda_backend().available({Device::Kind::Cuda, 0})) {
    return {{.name = "cuda, compiled only",
             .backend = &compiled_only_backend(),
             .options = {},
             .is_costly = true}};
  }
  std::vector<Way> ways;
  const char* const only = std::getenv("VECC_TEST_LAUNCH");
  for (const CudaLaunch launch :
       {CudaLaunch::Graph, CudaLaunch::Cluster, CudaLaunch::Grid, CudaLaunch::Parts}) {
    if (only != nullptr && std::string_view(only).find(text_of(launch)) == std::string_view::npos) {
      continue;
    }
    ways.push_back({.name = "cuda " + std::string(text_of(launch)),
                    .backend = &cuda_backend(),
                    .options = {.device = {Device::Kind::Cuda, 0}, .cuda_launch = launch},
                    .is_costly = true,
                    .splits_samples = launch == CudaLaunch::Parts});
  }
  return ways;
}

}  // namespace

const std::vector<Way>& tested_ways() {
  static const std::vector<Way> ways = find_ways();
  return ways;
}

}  // namespace vecc::test
