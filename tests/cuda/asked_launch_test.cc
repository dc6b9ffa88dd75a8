// What VECC_CUDA_LAUNCH may say.
#include "backends/cuda/asked_launch.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace vecc::cuda {
namespace {

class AskedLaunches : public ::testing::Test {
 protected:
  AskedLaunches() {
    if (const char* const value = std::getenv("VECC_CUDA_LAUNCH")) before_ = value;
  }
  ~AskedLaunches() override {
    ::unsetenv("VECC_CUDA_LAUNCH");
    if (before_) ::setenv("VECC_CUDA_LAUNCH", before_->c_str(), 1);
  }
  static Result<AskedLaunch> asked(const char* variable) {
    ::setenv("VECC_CUDA_LAUNCH", variable, 1);
    return asked_launch(CudaLaunch::Auto);
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(AskedLaunches, AreNamesAndNumbersOfBlocks) {
  const auto expect = [](const char* variable, CudaLaunch launch, std::uint32_t blocks) {
    const auto found = asked(variable);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->launch, launch) << variable;
    EXPECT_EQ(found->blocks, blocks) << variable;
  };
  expect("", CudaLaunch::Auto, 0);
  expect("auto", CudaLaunch::Auto, 0);
  expect("graph", CudaLaunch::Graph, 0);
  expect("grid", CudaLaunch::Grid, 0);
  expect("grid:64", CudaLaunch::Grid, 64);
  expect("cluster:4", CudaLaunch::Cluster, 4);
  expect("parts:1", CudaLaunch::Parts, 1);
  expect("parts:999999999", CudaLaunch::Parts, 999'999'999);
}

TEST_F(AskedLaunches, ElseSayWhatIsExpected) {
  for (const char* const bad :
       {"parts:0", "parts:x", "parts:", "parts:-1", "parts: 4", "parts:4x", "parts:4:4",
        "parts:99999999999999999999", "auto:4", "graph:4", "Parts", " parts", ":4", ":", "block"}) {
    const auto found = asked(bad);
    ASSERT_FALSE(found) << bad;
    EXPECT_EQ(found.error().list().front().code, ErrorCode::Usage);
    EXPECT_EQ(found.error().list().front().place, "VECC_CUDA_LAUNCH");
    EXPECT_THAT(found.error().text(),
                ::testing::HasSubstr("\"" + std::string(bad) + "\", expected"));
  }
}

TEST_F(AskedLaunches, WhatTheCallerAsksForComesFirst) {
  ::setenv("VECC_CUDA_LAUNCH", "parts:x", 1);
  const auto found = asked_launch(CudaLaunch::Grid);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->launch, CudaLaunch::Grid);
}

}  // namespace
}  // namespace vecc::cuda
