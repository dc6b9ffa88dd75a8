// Large launches, shared out among threads: the same bits for any number of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/cpu/cpu_backend.h"
#include "backends/native/gradient_program.h"
#include "backends/native/plan_executable.h"
#include "src/plan/tile_order.h"
#include "tests/backends/program_check.h"
#include "tests/support/random_source.h"
#include "vecc/plan.h"

namespace vecc::test {
namespace {

ValueId random_weight(Program& program, const std::string& name, std::uint32_t rows, Shape shape,
                      std::uint32_t seed) {
  auto values = SharedNumbers::of(random_values(rows * shape.size(), seed));
  return program.weight(program.add_parameter({name, rows, shape, std::move(values)}).value());
}

Index random_list(std::uint32_t bound, std::uint32_t count, std::uint64_t seed) {
  RandomSource random(seed);
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t& row : rows) row = random.below(bound);
  return Index::list(std::move(rows));
}

// A graph convolution of typed edges: messages by the matrix of the edge's type, long and short
// sums of them, a product that all rows share, a mean of all rows.
Program convolution(DType dtype) {
  constexpr std::uint32_t kNodes = 3000;
  constexpr std::uint32_t kEdges = 20000;
  Program program(dtype);
  const ValueId x = random_weight(program, "x", kNodes, Shape::column(16), 1);
  const ValueId types = random_weight(program, "types", 7, Shape(16, 16), 2);
  const ValueId own = random_weight(program, "own", 1, Shape(16, 16), 3);
  const ValueId messages = program.linear(program.gather(types, random_list(7, kEdges, 4)),
                                          program.gather(x, random_list(kNodes, kEdges, 5)));
  std::vector<std::uint32_t> offsets{0, 9000};  // one node has most edges
  for (std::uint32_t n = 1; n < kNodes; ++n) {
    offsets.push_back(9000 + static_cast<std::uint32_t>(11000ull * n / (kNodes - 1)));
  }
  const ValueId sums = program.segment(messages, Segments::ragged(offsets), Combination::Sum);
  const ValueId products = program.linear(program.gather(own, Index::repeat(1, kNodes)), sums);
  const ValueId next = program.transform(products, {.id = Transformation::Tanh, .target = {}});
  const ValueId mean = program.segment(next, Segments::fixed(kNodes), Combination::Avg);
  program.set_sample_count(kNodes + 1);
  program.output(next, Index::slice(0, kNodes));
  program.output(mean, Index::slice(kNodes, 1));
  return program;
}

// Short segments of changing lengths, whose rows have an order, and long ones, which are cut: the
// largest member, the product and the softmax of each.
Program short_and_long(DType dtype) {
  constexpr std::uint32_t kNodes = 9000;
  Program program(dtype);
  const ValueId x = random_weight(program, "x", kNodes, Shape(), 1);
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t n = 0; n < kNodes; ++n) offsets.push_back(offsets.back() + n * 7 % 5);
  const ValueId edges = program.gather(x, random_list(kNodes, offsets.back(), 2));
  const ValueId sums = program.segment(edges, Segments::ragged(offsets), Combination::Sum);
  const ValueId next = program.transform(sums, {.id = Transformation::Tanh, .target = {}});
  const auto graphs = Segments::ragged({0, 3, 8000, kNodes});
  program.set_sample_count(kNodes + 6);
  program.output(program.segment(next, graphs, Combination::Softmax), Index::slice(0, kNodes));
  program.output(program.segment(next, graphs, Combination::Max), Index::slice(kNodes, 3));
  program.output(program.segment(sums, graphs, Combination::ElProduct),
                 Index::slice(kNodes + 3, 3));
  return program;
}

// Two layers over many small graphs, whose values are more than a core's cache has room for.
Program small_graphs(DType dtype) {
  constexpr std::uint32_t kGraphNodes = 30;
  constexpr std::uint32_t kNodes = 700 * kGraphNodes;
  Program program(dtype);
  ValueId x = random_weight(program, "x", kNodes, Shape::column(32), 1);
  for (std::uint32_t layer = 0; layer < 2; ++layer) {
    RandomSource random(layer);
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> offsets{0};
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      const std::uint32_t first = node / kGraphNodes * kGraphNodes;
      for (std::uint32_t k = random.below(4); k-- > 0;) {
        rows.push_back(first + random.below(kGraphNodes));
      }
      offsets.push_back(static_cast<std::uint32_t>(rows.size()));
    }
    const ValueId own =
        random_weight(program, "w" + std::to_string(layer), 1, Shape(32, 32), layer);
    const ValueId messages = program.transform(program.gather(x, Index::list(std::move(rows))),
                                               {.id = Transformation::Sigmoid, .target = {}});
    const ValueId sums = program.segment(messages, Segments::ragged(offsets), Combination::Sum);
    const ValueId products = program.linear(program.gather(own, Index::repeat(1, kNodes)), sums);
    x = program.transform(products, {.id = Transformation::Tanh, .target = {}});
  }
  program.set_sample_count(kNodes);
  program.output(x, Index::slice(0, kNodes));
  return program;
}

// Outputs, then the gradients of all parameters.
std::vector<double> run_bits(Executable& executable, const Program& program) {
  EXPECT_TRUE(executable.run());
  std::vector<double> bits;
  const auto outputs = executable.outputs().value();
  for (const auto& output : outputs) {
    bits.insert(bits.end(), output.value.begin(), output.value.end());
  }
  EXPECT_TRUE(executable.differentiate(random_values(bits.size(), 9)));
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const auto gradient = executable.gradient(p).value();
    bits.insert(bits.end(), gradient.begin(), gradient.end());
  }
  return bits;
}

std::unique_ptr<Executable> compile_for(const Program& program, std::uint32_t threads) {
  ExecutionOptions options;
  options.threads = threads;
  options.gradients = true;
  auto made = cpu_backend().compile(program, options);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

TEST(CpuThreads, TheProgramTakesEveryWay) {
  const Plan plan = make_plan(convolution(DType::F32));
  const auto any = [&](const auto& holds) { return std::ranges::any_of(plan.launches, holds); };
  EXPECT_TRUE(any([](const Launch& l) { return l.order != kNone && l.tiles.size() > 8; }));
  EXPECT_TRUE(any([](const Launch& l) { return l.work > 1 << 20 && l.tiles.size() > 8; }));
  // Chunks: more rows than segments.
  EXPECT_TRUE(any([](const Launch& l) { return l.offsets != kNone && l.rows > 3000; }));
}

void expect_the_same_bits(const Program& program) {
  SCOPED_TRACE(text_of(program.dtype()));
  const std::vector<double> one = run_bits(*compile_for(program, 1), program);
  for (const std::uint32_t threads : {2u, 7u, 0u}) {
    SCOPED_TRACE(threads);
    const auto executable = compile_for(program, threads);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(equal_bits(run_bits(*executable, program), one));
  }
}

TEST(CpuThreads, AnyNumberOfThreadsGivesTheSameBits) {
  for (const DType dtype : {DType::F32, DType::F64}) expect_the_same_bits(convolution(dtype));
}

TEST(CpuThreads, OrdersPiecesAndRowsInPlaceToo) {
  const Plan plan = make_plan(short_and_long(DType::F32));
  const auto any = [&](bool Kernel::*is) { return std::ranges::any_of(plan.kernels, is); };
  EXPECT_TRUE(any(&Kernel::ordered) && any(&Kernel::in_place));
  for (const DType dtype : {DType::F32, DType::F64}) expect_the_same_bits(short_and_long(dtype));
}

TEST(CpuThreads, LaunchesTakeTurnsOrNotWithTheSameBits) {
  const Program program = small_graphs(DType::F32);
  const auto whole = native::make_gradient_program(program);
  ASSERT_TRUE(whole);
  ExecutionOptions options;
  options.gradients = true;
  PlanOptions planned = native::plan_options(options, *whole);
  planned.target = host_processor();
  const Plan plan = make_plan(whole->program, planned);
  const std::uint64_t cache = planned.target.tiles.turn_bytes;
  for (const std::uint32_t stage : {0u, 1u}) {
    EXPECT_FALSE(order_tiles(plan, stage, {cache, 8}).empty()) << "two threads take turns";
    EXPECT_TRUE(order_tiles(plan, stage, {cache, 4 * 40}).empty()) << "forty do not";
  }
  for (const DType dtype : {DType::F32, DType::F64}) {
    const Program of = small_graphs(dtype);
    const std::vector<double> one = run_bits(*compile_for(of, 1), of);
    for (const std::uint32_t threads : {2u, 3u, 40u}) {
      SCOPED_TRACE(threads);
      const auto executable = compile_for(of, threads);
      for (int i = 0; i < 10; ++i) EXPECT_TRUE(equal_bits(run_bits(*executable, of), one));
    }
  }
  expect_outputs_agree(small_graphs(DType::F64));
}

TEST(CpuThreads, LargeLaunchesAgreeWithTheInterpreter) {
  expect_outputs_agree(convolution(DType::F64));
}

}  // namespace
}  // namespace vecc::test
