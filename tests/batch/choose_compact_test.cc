// When batches on the cpu are compact by themselves.
#include "backends/cpu/choose_compact.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace vecc::test {
namespace {

constexpr std::uint32_t kValueRows = 1'000'000;
constexpr std::uint32_t kWeightRows = 1'000;

Kernel storing_kernel(std::uint32_t size) {
  KernelAccess store;
  store.store = true;
  store.shape = {size, 1};
  Kernel kernel;
  kernel.accesses = {store};
  return kernel;
}

Launch storing_launch(std::uint32_t kernel, std::uint32_t rows, BufferIndex buffer) {
  Launch launch;
  launch.kernel = kernel;
  launch.rows = rows;
  launch.accesses.resize(1);
  launch.accesses[0].buffer = buffer;
  return launch;
}

// Rows of 64 numbers, and a table whose rows a step changes.
Plan plan_of_table(std::uint32_t rows_of_table) {
  Plan plan;
  plan.dtype = DType::F64;
  plan.arena_elements = std::uint64_t{64} * kValueRows;
  plan.buffers.resize(3);
  plan.buffers[0].elements = plan.arena_elements;
  plan.buffers[1].kind = PlanBuffer::Kind::Parameter;
  plan.buffers[1].elements = kWeightRows;
  plan.buffers[2].kind = PlanBuffer::Kind::State;
  plan.buffers[2].elements = rows_of_table;
  plan.kernels = {storing_kernel(64), storing_kernel(1)};
  plan.launches = {storing_launch(0, kValueRows, 0), storing_launch(1, rows_of_table, 2)};
  return plan;
}

BatchOptions typical_options(std::uint32_t samples) {
  BatchOptions options;
  options.weights = {0};  // of buffer 1
  Batch::Weights& weights = options.typical.weights.emplace_back();
  weights.rows.resize(samples);
  std::iota(weights.rows.begin(), weights.rows.end(), 0u);
  weights.values.assign(samples, 1.0);
  return options;
}

TEST(ChooseCompact, not_where_tables_make_most_of_the_lists) {
  const auto takes = [](std::uint32_t rows_of_table, const BatchOptions& options) {
    return *cpu::takes_compact(plan_of_table(rows_of_table), options);
  };
  BatchOptions options = typical_options(10);  // a hundredth: 10'000 rows
  EXPECT_TRUE(takes(100, options));
  EXPECT_FALSE(takes(20'000, options));
  EXPECT_TRUE(takes(20'000, typical_options(100)));
  EXPECT_FALSE(takes(100, typical_options(200)));  // a fifth of all
  options.lists_touched = true;                    // these alone are changed
  EXPECT_TRUE(takes(20'000, options));
  options.lists_touched = false;
  options.values = BatchValues::Compact;
  EXPECT_TRUE(takes(20'000, options));
  options.values = BatchValues::Spread;
  EXPECT_FALSE(takes(100, options));
}

}  // namespace
}  // namespace vecc::test
