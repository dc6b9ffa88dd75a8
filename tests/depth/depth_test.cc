// A recursion on each backend, from the graph to its outputs and gradients: time and memory are
// linear in its depth. Counted, not timed: allocations stand for work, for nothing that has one a
// level costs less, and what is allocated at once is the memory.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "tests/depth/counted_memory.h"
#include "tests/support/deep_graphs.h"
#include "vecc/backend.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

// 1,000,000 levels in 2 GB.
constexpr std::uint64_t kMostBytesALevel = 2'000;
// The first levels cost less: a few hundred kernels are open at once, whatever the depth. The
// square of twice is four times.
constexpr double kTwice = 2.4;

struct Cost {
  std::uint64_t allocations = 0;
  std::uint64_t peak_bytes = 0;
};

// Of all stages; the graph is there before.
Cost cost_of(const NeuronGraph& graph, const Backend& backend) {
  ExecutionOptions options;
  options.gradients = true;
  if (backend.name() == "cuda") options.device = {Device::Kind::Cuda, 0};
  const CountedMemory counted;
  auto vectorized = vectorize(graph);
  EXPECT_TRUE(vectorized);
  const auto program = optimize(std::move(vectorized->program));
  EXPECT_TRUE(program);
  const auto executable = backend.compile(*program, options);
  EXPECT_TRUE(executable) << executable.error().text();
  if (!executable) return {};
  EXPECT_TRUE((*executable)->run());
  const auto outputs = (*executable)->outputs();
  EXPECT_TRUE(outputs);
  std::size_t elements = 0;
  for (const Executable::Output& output : *outputs) elements += output.value.size();
  EXPECT_TRUE((*executable)->differentiate(std::vector<double>(elements, 1.0)));
  for (ParameterIndex p = 0; p < program->parameters().size(); ++p) {
    const auto gradient = (*executable)->gradient(p);
    EXPECT_TRUE(gradient);
    EXPECT_TRUE(std::isfinite(std::reduce(gradient->begin(), gradient->end())));
  }
  return {counted.allocations(), counted.peak_bytes()};
}

class DepthOn : public testing::TestWithParam<const Backend*> {
 protected:
  void SetUp() override {
    const Device device{GetParam()->name() == "cuda" ? Device::Kind::Cuda : Device::Kind::Cpu, 0};
    if (const auto available = GetParam()->available(device); !available) {
      GTEST_SKIP() << available.error().text();
    }
  }
};

TEST_P(DepthOn, TwiceAsDeepIsTwiceTheWork) {
  for (NeuronGraph (*const graph)(std::uint32_t) :
       {&chain_of_weights, &chain_of_groups, &uneven_chains, &ancestor_levels}) {
    (void)cost_of(graph(1000), *GetParam());  // what is made once, such as code,
    (void)cost_of(graph(2000), *GetParam());  // which need not be the same at another depth
    const Cost once = cost_of(graph(1000), *GetParam());
    const Cost twice = cost_of(graph(2000), *GetParam());
    EXPECT_LE(static_cast<double>(twice.allocations),
              kTwice * static_cast<double>(once.allocations));
    EXPECT_LE(static_cast<double>(twice.peak_bytes), kTwice * static_cast<double>(once.peak_bytes));
  }
}

// Passes that find nothing to do copy nothing.
TEST(DepthOfPrograms, WhatThePassesLeaveAsItIsIsShared) {
  const auto vectorized = vectorize(chain_of_weights(5000));
  ASSERT_TRUE(vectorized);
  const auto once = optimize(vectorized->program);
  ASSERT_TRUE(once);
  const auto twice = optimize(*once);
  ASSERT_TRUE(twice);
  ASSERT_EQ(twice->ops().size(), once->ops().size());
  for (ValueId id = 0; id < once->ops().size(); ++id) {
    ASSERT_EQ(&twice->op(id), &once->op(id)) << id;
  }
}

// torch keeps more, and refuses so many levels.
TEST_P(DepthOn, AMillionLevelsFitTwoGigabytes) {
  if (GetParam()->name() == "torch") GTEST_SKIP() << "refuses them";
  constexpr std::uint32_t kDepth = 20'000;
  for (const std::uint32_t depth : {kDepth, 2 * kDepth}) {  // what is made once
    (void)cost_of(chain_of_weights(depth), *GetParam());
  }
  const Cost once = cost_of(chain_of_weights(kDepth), *GetParam());
  const Cost twice = cost_of(chain_of_weights(2 * kDepth), *GetParam());
  EXPECT_LE((twice.peak_bytes - once.peak_bytes) / kDepth, kMostBytesALevel);
}

INSTANTIATE_TEST_SUITE_P(Backends, DepthOn, testing::ValuesIn(backends().begin(), backends().end()),
                         [](const auto& backend) { return std::string(backend.param->name()); });

}  // namespace
}  // namespace vecc::test
