// choose_loops() and schedule_kernel() are functions of the kernel, the sizes of a launch and the
// target alone; where GPUs differ, their schedules do.
#include <gtest/gtest.h>

#include <string>

#include "src/kernel/schedule/choose_loops.h"
#include "src/kernel/schedule/schedule_kernel.h"
#include "src/kernel/schedule/schedule_text.h"
#include "src/plan/launch_layout.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

// The kernel of a Program with one.
Kernel kernel_of(const std::string& ops, MatmulPrecision precision = MatmulPrecision::Exact) {
  const auto program = parse_program("vecc program 1 f32 samples 100\n" + ops, "ops");
  EXPECT_TRUE(program) << program.error().text();
  PlanOptions options{.target = default_gpu()};
  options.precision = precision;
  const Plan plan = make_plan(*program, options);
  EXPECT_EQ(plan.kernels.size(), 1u);
  return plan.kernels.front();
}

Kernel sum_of_four() {
  return kernel_of(
      "parameter \"x\" [400, 8x1]\n"
      "%0 = weight \"x\" : f32[400, 8x1]\n"
      "%1 = segment %0 [fixed 4 dim 2] sum : f32[100, 8x1]\n"
      "%2 = output %1 [0:100] : f32[100, 8x1]\n");
}

Kernel product(const std::string& matrix, const std::string& column, const std::string& result,
               MatmulPrecision precision = MatmulPrecision::Exact) {
  return kernel_of("parameter \"w\" [1, " + matrix + "]\nparameter \"x\" [100, " + column +
                       "]\n%0 = weight \"w\" : f32[1, " + matrix +
                       "]\n%1 = weight \"x\" : f32[100, " + column +
                       "]\n%2 = linear %0 lift(repeat 100), %1 : f32[100, " + result +
                       "]\n%3 = output %2 [0:100] : f32[100, " + result + "]\n",
                   precision);
}

KernelSchedule schedule_of(const Kernel& kernel, const std::string& gpu, std::uint32_t rows = 100,
                           std::uint32_t members = 0) {
  RowSizes sizes{rows, std::uint64_t{rows} * 1000, std::vector<RowClass>(1)};
  sizes.classes[0].add(members, rows);
  const Target& target = *find_target(gpu);
  return schedule_kernel(kernel, choose_loops(kernel, sizes, target).loops, target);
}

// 15,000 rows of two lanes fill the smaller GPUs' threads: their blocks are smaller, so that these
// lie more evenly on the multiprocessors.
TEST(ScheduleKernel, ManyNarrowRowsRunInSmallBlocksOfASmallGpu) {
  const Kernel kernel = sum_of_four();
  EXPECT_EQ(schedule_of(kernel, "h200", 15'000, 4).members.threads, kCudaThreads);
  EXPECT_EQ(schedule_of(kernel, "a100", 15'000, 4).members.threads, kNarrowThreads);
  EXPECT_EQ(schedule_of(kernel, "l4", 15'000, 4).members.threads, kNarrowThreads);
}

// An L4 has half of the shared memory: two blocks where three find room elsewhere.
TEST(ScheduleKernel, SharedMemoryDecidesHowManyBlocksThereAre) {
  const Kernel kernel = product("300x200", "200x1", "300x1");
  EXPECT_EQ(schedule_of(kernel, "h200").loop, RowLoop::LargeMatrix);
  EXPECT_EQ(schedule_of(kernel, "h200").least_blocks, 3u);
  EXPECT_EQ(schedule_of(kernel, "a100").least_blocks, 3u);
  EXPECT_EQ(schedule_of(kernel, "l4").least_blocks, 2u);
}

// What a kernel computes in which order does not depend on the GPU where nothing has to.
TEST(ScheduleKernel, OtherwiseGpusHaveTheSame) {
  for (const Kernel& kernel :
       {product("300x200", "200x1", "300x1"), product("64x64", "64x1", "64x1"),
        product("10x10", "10x1", "10x1")}) {
    KernelSchedule h200 = schedule_of(kernel, "h200");
    KernelSchedule l4 = schedule_of(kernel, "l4");
    h200.least_blocks = l4.least_blocks = 0;
    EXPECT_EQ(h200, l4);
  }
}

// 8,000 rows in blocks of 128 are a block for each multiprocessor of an L4; an H200 would have some
// without any.
TEST(ScheduleKernel, BlocksHaveFewerRowsWhereMultiprocessorsWouldBeIdle) {
  const KernelSchedule schedule = schedule_of(product("64x64", "64x1", "64x1"), "h200");
  const auto rows = [&](const char* gpu, std::uint32_t all) {
    return rows_of_block(schedule, 1, all, *find_target(gpu));
  };
  EXPECT_EQ(schedule.product->rows, 128u);
  EXPECT_EQ(rows("l4", 8'000), 128u);
  EXPECT_EQ(rows("h200", 8'000), 32u);
  EXPECT_EQ(rows("h200", 100), 32u) << "a warp has as many at least";
  EXPECT_EQ(rows("h200", 100'000), 128u);
}

TEST(ScheduleKernel, ThePrecisionIsTheKernels) {
  const auto loop_of = [](MatmulPrecision precision) {
    return schedule_of(product("64x64", "64x1", "64x1", precision), "a100").loop;
  };
  EXPECT_EQ(loop_of(MatmulPrecision::Exact), RowLoop::MemoryRows);
  EXPECT_EQ(loop_of(MatmulPrecision::Tf32), RowLoop::TensorCores);
  EXPECT_EQ(loop_of(MatmulPrecision::Bf16), RowLoop::TensorCores);
}

// A row that is longer than a thread's stack is in its scratch memory.
TEST(ScheduleKernel, LongRowsOfCppAreInScratchMemory) {
  const auto softmax = [](const std::string& shape) {
    return schedule_for_cpp(
        kernel_of("parameter \"x\" [100, " + shape + "]\n%0 = weight \"x\" : " + "f32[100, " +
                  shape + "]\n%1 = transform %0 softmax : " + "f32[100, " + shape +
                  "]\n%2 = output %1 [0:100] : f32[100, " + shape + "]\n"),
        Target());
  };
  EXPECT_EQ(softmax("100x1").scratch_bytes, 0u);
  EXPECT_EQ(softmax("100x1").array_bytes, 400u);
  const KernelSchedule of_long = softmax("100000x1");
  EXPECT_EQ(of_long.array_bytes, 0u);
  EXPECT_EQ(of_long.scratch_bytes, 400'000u);
  ASSERT_EQ(of_long.scratch.size(), 1u);
  EXPECT_EQ(of_long.scratch[0].name, "v1");
}

// Of a processor the tiles of products are the target's, and how many members' columns are copied
// before they are added to a sum of outer products.
TEST(ScheduleKernel, ProductsOfCppHaveTheTargetsTiles) {
  Target wide;
  wide.tiles.rows = 8;
  EXPECT_EQ(schedule_for_cpp(product("64x64", "64x1", "64x1"), wide).tile_rows, 8u);
  EXPECT_EQ(schedule_for_cpp(product("64x64", "64x1", "64x1"), Target()).tile_rows, 6u);
  const Kernel sum = kernel_of(R"(parameter "g" [100, 64x1]
parameter "x" [100, 32x1]
%0 = weight "g" : f32[100, 64x1]
%1 = weight "x" : f32[100, 32x1]
%2 = contract %0, %1 [repeat 1 x 100] : f32[1, 64x32]
%3 = output %2 [0:1] : f32[1, 64x32]
)");
  Target small;
  small.tiles.block_bytes = 8 << 10;  // of columns of 96 numbers: 21 members
  EXPECT_EQ(schedule_for_cpp(sum, Target()).phases[0].members, 64u);
  EXPECT_EQ(schedule_for_cpp(sum, small).phases[0].members, 16u);
}

// Every text of tests/kernel/cases is read back; these are none.
TEST(ParseSchedule, RefusesWhatIsNone) {
  for (const std::string text :
       {"", "columns", "rows lanes", "rows lanes=x", "rows lanes=1 lanes=2", "rows slots=4",
        "rows phases=steps/4", "rows phases=outer-products/-members", "rows scratch=v1",
        "rows depth=3", "rows  lanes=1", "rows lanes=99999999999", "rows lanes=-1",
        "rows product=", "rows vector-loop=2", "rows packs=1,,2", "rows packs=1,"}) {
    const auto parsed = parse_schedule(text, "plan.txt:3");
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().list().front().place, "plan.txt:3");
  }
  EXPECT_TRUE(parse_schedule("rows", "plan.txt:3"));
}

}  // namespace
}  // namespace vecc::test
