// Shared buffers, released values, bytes.
#include <gtest/gtest.h>

#include "backends/torch/buffer_plan.h"
#include "backends/torch/segment_buckets.h"
#include "tests/torch/torch_check.h"

namespace vecc::test {
namespace {

const TransformationSpec kTanh{.id = Transformation::Tanh, .target = {}};

// `levels` levels of a recursion: each appends 10 rows made from the last 10.
std::vector<ValueId> add_recursion(Program& program, std::uint32_t levels) {
  ValueId all = random_fact(program, 10, Shape::column(4), 1);
  std::vector<ValueId> concats;
  for (std::uint32_t level = 0; level < levels; ++level) {
    const ValueId last = program.gather(all, Index::slice(level * 10, 10));
    all = program.concat(std::vector{all, program.transform(last, kTanh)});
    concats.push_back(all);
  }
  return concats;
}

TEST(BufferPlan, RecursionSharesOneBuffer) {
  Program program(DType::F64);
  const auto concats = add_recursion(program, 50);
  const libtorch::BufferPlan plan =
      libtorch::plan_buffers(program, libtorch::FusedReads(program, {.fuse = false}));
  ASSERT_EQ(plan.chains.size(), 1u);
  EXPECT_EQ(plan.chains[0].rows, 510u);
  EXPECT_EQ(plan.chains[0].shape, Shape::column(4));
  for (std::size_t i = 0; i < concats.size(); ++i) {
    EXPECT_EQ(plan.chain[concats[i]], 0u);
    EXPECT_EQ(plan.continues[concats[i]], i > 0);
  }
}

TEST(BufferPlan, LoneConcatsShareNothing) {
  Program program;
  const ValueId a = random_fact(program, 2, Shape(), 1);
  const ValueId b = program.concat(std::vector{a, a});
  program.concat(std::vector{a, b});  // %b is not its first operand
  const libtorch::BufferPlan plan =
      libtorch::plan_buffers(program, libtorch::FusedReads(program, {.fuse = false}));
  EXPECT_TRUE(plan.chains.empty());
}

TEST(BufferPlan, LongerContinuationShares) {
  Program program;
  const ValueId a = random_fact(program, 2, Shape(), 1);
  const ValueId b = program.concat(std::vector{a, a});
  const ValueId aside = program.concat(std::vector{b, a, a, a});
  const ValueId c = program.concat(std::vector{b, a});
  const ValueId d = program.concat(std::vector{c, c});
  const libtorch::BufferPlan plan =
      libtorch::plan_buffers(program, libtorch::FusedReads(program, {.fuse = false}));
  ASSERT_EQ(plan.chains.size(), 1u);
  EXPECT_EQ(plan.chains[0].rows, 12u);
  EXPECT_EQ(plan.chain[aside], libtorch::kNoChain);
  EXPECT_FALSE(plan.continues[b]);
  EXPECT_TRUE(plan.continues[c]);
  EXPECT_TRUE(plan.continues[d]);
}

TEST(BufferPlan, ReleasesAfterTheLastReader) {
  Program program;
  program.set_sample_count(2);
  const ValueId a = random_fact(program, 2, Shape(), 1);
  const ValueId b = program.transform(a, kTanh);
  const ValueId c = program.transform(a, kTanh);
  const ValueId out = program.output(b, Index::slice(0, 2));
  const libtorch::BufferPlan plan =
      libtorch::plan_buffers(program, libtorch::FusedReads(program, {.fuse = false}));
  EXPECT_TRUE(plan.released[a].empty());
  EXPECT_TRUE(plan.released[b].empty());
  EXPECT_EQ(plan.released[c], (std::vector<ValueId>{a, c}));  // %c is not read
  EXPECT_EQ(plan.released[out], (std::vector<ValueId>{b}));
}

TEST(SegmentBuckets, PadsToPowersOfTwo) {
  const std::vector<std::uint32_t> offsets = {0, 3, 3, 4, 8, 9};
  const libtorch::SegmentBuckets layout = libtorch::bucket_segments(offsets);
  ASSERT_EQ(layout.buckets.size(), 2u);
  EXPECT_EQ(layout.buckets[0].width, 1u);
  EXPECT_EQ(layout.buckets[0].rows, (std::vector<std::uint32_t>{3, 8}));
  EXPECT_EQ(layout.buckets[1].width, 4u);
  EXPECT_EQ(layout.buckets[1].count, 2u);
  EXPECT_EQ(layout.buckets[1].rows, (std::vector<std::uint32_t>{0, 1, 2, 9, 4, 5, 6, 7}));
  EXPECT_EQ(layout.place, (std::vector<std::uint64_t>{2, 3, 4, 0, 6, 7, 8, 9, 1}));
}

TEST(TorchMemory, RecursionAgrees) {
  expect_agreement("recursion", [](Program& program) {
    program.set_sample_count(130);
    program.output(add_recursion(program, 12).back(), Index::slice(0, 130));
  });
}

// One buffer of all rows and the fact: a buffer a level would be 26 times as much.
TEST(TorchMemory, RecursionHoldsItsRowsOnce) {
  Program program(DType::F64);
  add_recursion(program, 50);
  const auto executable = compile_torch(program);
  ASSERT_NE(executable, nullptr);
  EXPECT_EQ(executable->bytes(), (510u + 10u) * 4 * sizeof(double));
}

TEST(TorchMemory, BytesOfIndicesFactsAndWeights) {
  Program program(DType::F32);
  auto values = SharedNumbers::repeated(6, 0.5);
  const auto w = program.add_parameter({"w", 2, Shape::column(3), values});
  ASSERT_TRUE(w);
  program.gather(program.weight(*w), Index::list({1, 0, 1}));
  program.gather(program.unit_fact(1000), Index::slice(0, 10));
  const auto executable = compile_torch(program);
  ASSERT_NE(executable, nullptr);
  EXPECT_EQ(executable->bytes(), 6u * 4 + 3u * 4 + 4u);
}

TEST(TorchMemory, ReleasedValuesSaySo) {
  Program program;
  const ValueId a = random_fact(program, 2, Shape(), 1);
  program.transform(a, kTanh);
  const auto executable = compile_torch(program, /*keep_values=*/false);
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  const auto value = executable->read(a);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().text(),
            "torch: %0 fact: error: the value was released after its last reader; compile with "
            "keep_values [E050]");
}

}  // namespace
}  // namespace vecc::test
