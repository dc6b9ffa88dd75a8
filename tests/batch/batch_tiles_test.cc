// How the rows of a batch are shared out: as many a tile as are worth what each tile does first.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "src/batch/batch_binder.h"
#include "vecc/backend.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t kSamples = 2000;
constexpr std::uint32_t kWide = 64;

// relu of a matrix (its transpose) times each sample's own row.
Program wide_products(DType dtype, bool transposed) {
  Program program(dtype);
  program.set_sample_count(kSamples);
  const auto table = [&](const char* name, std::uint32_t rows, Shape shape) {
    std::vector<double> values(rows * shape.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = 0.01 * static_cast<double>(i % 23) - 0.1;
    }
    return program.weight(
        *program.add_parameter({name, rows, shape, SharedNumbers::of(std::move(values))}));
  };
  const ValueId matrix = table("matrix", 1, Shape(kWide, kWide));
  const ValueId rows = table("rows", kSamples, Shape::column(kWide));
  LinearOp linear;
  linear.transpose_left = transposed;
  linear.lift_left = {Lift::Kind::Repeat, kSamples};
  const ValueId products = program.linear(matrix, rows, linear);
  program.output(program.transform(products, {Transformation::Relu, 0.01, {}}),
                 Index::slice(0, kSamples));
  return program;
}

// Every third from sample 1 on.
Numbers some_samples(std::uint32_t count) {
  Numbers samples;
  for (std::uint32_t i = 0; i < count; ++i) samples.push_back(1 + 3 * i);
  return samples;
}

Numbers rows_of_tiles(const Program& program, const Target& target, std::uint32_t samples) {
  BatchOptions options;
  options.computes_outputs = true;
  const auto plan = make_batch_plan(make_plan(program, {.target = target}), program, options);
  EXPECT_TRUE(plan) << plan.error().text();
  BatchRows rows;
  BatchBinder(*plan).bind({{}, {}, some_samples(samples)}, rows);
  EXPECT_EQ(rows.runs.size(), 1u);
  EXPECT_FALSE(rows.runs.front().is_whole);
  Numbers counts;
  for (const BatchRows::Tile& tile : rows.tiles) counts.push_back(tile.end - tile.begin);
  return counts;
}

TEST(BatchTiles, of_wide_products_have_rows_for_a_whole_tile) {
  const Target target = host_processor();
  for (const bool transposed : {false, true}) {
    const Program program = wide_products(DType::F32, transposed);
    EXPECT_EQ(rows_of_tiles(program, target, 600),
              Numbers({64, 64, 64, 64, 64, 64, 64, 64, 64, 24}));
    EXPECT_EQ(rows_of_tiles(program, target, 10), Numbers({10}));
  }
}

// Each sample's bits are those of a run of all, whatever tile its row is in.
TEST(BatchTiles, have_the_bits_of_the_whole) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    for (const bool transposed : {false, true}) {
      const Program program = wide_products(dtype, transposed);
      const auto whole = find_backend("cpu")->compile(program, {});
      ASSERT_TRUE(whole) << whole.error().text();
      ASSERT_TRUE((*whole)->run());
      const auto all = (*whole)->outputs();
      for (const std::uint32_t threads : {1u, 3u}) {
        auto batch = std::make_shared<BatchOptions>();
        batch->computes_outputs = true;
        ExecutionOptions options;
        options.threads = threads;
        options.batch = batch;
        const auto part = find_backend("cpu")->compile(program, options);
        ASSERT_TRUE(part) << part.error().text();
        std::unique_ptr<BoundBatch> bound;
        ASSERT_TRUE((*part)->bind_batch({{}, {}, some_samples(600)}, bound));
        ASSERT_TRUE((*part)->start_batch(*bound));
        const auto outputs = (*part)->outputs();
        ASSERT_TRUE(outputs);
        ASSERT_EQ(outputs->size(), 600u);
        for (std::uint32_t i = 0; i < 600; ++i) {
          EXPECT_EQ((*outputs)[i].value, (*all)[1 + 3 * i].value) << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace vecc::test
