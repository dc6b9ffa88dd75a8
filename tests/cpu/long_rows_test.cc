// Rows so long that a thread's stack has no room for what their kernels keep of them.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "backends/cpu/cpu_backend.h"
#include "src/kernel/schedule/schedule_kernel.h"
#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"
#include "tests/support/sanitized.h"
#include "vecc/plan.h"

namespace vecc::test {
namespace {

constexpr std::size_t kSmallStack = 512 << 10;
constexpr std::uint32_t kLong = 1 << 18;  // a row takes 1 MiB of f32, 2 MiB of f64

using Build = std::function<void(Program&)>;

// On a thread with a stack of 512 KiB. Sanitizers need more of it themselves.
void run_on_small_stack(std::function<void()> body) {
  pthread_attr_t attributes;
  pthread_t thread;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  if (!kSanitized) {
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
  }
  const auto call = [](void* function) -> void* {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, call, &body), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// Values and gradients are the interpreter's.
void expect_agreement_on_small_stack(DType dtype, const Build& build) {
  run_on_small_stack([&] {
    SCOPED_TRACE(text_of(dtype));
    Program program(dtype);
    build(program);
    expect_gradient_agreement(learn_facts(program));
  });
}
void expect_agreement_on_small_stack(const Build& build) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    expect_agreement_on_small_stack(dtype, build);
  }
}

Build row_function(Transformation id, std::uint32_t entries) {
  return [=](Program& p) {
    p.transform(random_fact(p, 2, Shape::column(entries), 1), {.id = id, .target = {}});
  };
}
Build outer_product(std::uint32_t rows, std::uint32_t cols) {
  return [=](Program& p) {
    p.linear(random_fact(p, 1, Shape::column(rows), 1), random_fact(p, 1, Shape::row(cols), 2));
  };
}
Build combination(const char* expr, Shape first, Shape second, std::uint32_t rows = 2) {
  return [=](Program& p) {
    p.map(*parse_expr(expr, "test"),
          std::vector{random_fact(p, rows, first, 1, 0.5, 1.5), random_fact(p, rows, second, 2)});
  };
}
Build cross_sum(std::uint32_t entries) {
  return [=](Program& p) {
    std::vector<ValueId> operands;
    for (std::uint32_t seed = 1; seed < 4; ++seed) {
      operands.push_back(random_fact(p, 1, Shape::column(entries), seed));
    }
    p.map(*parse_expr("crosssum($0, $1, $2)", "test"), operands);
  };
}

std::string_view text_of_function(Transformation id) {
  return info(id).text;
}

class LongRowFunctions : public testing::TestWithParam<Transformation> {};

TEST_P(LongRowFunctions, AgreeForwardAndBackward) {
  expect_agreement_on_small_stack(row_function(GetParam(), kLong));
}

INSTANTIATE_TEST_SUITE_P(Functions, LongRowFunctions,
                         testing::Values(Transformation::Softmax, Transformation::LogSoftmax,
                                         Transformation::Sparsemax, Transformation::Norm,
                                         Transformation::Transp),
                         [](const auto& tested) {
                           return std::string(text_of_function(tested.param));
                         });

TEST(LongRows, Products) {
  expect_agreement_on_small_stack(DType::F64, outer_product(512, 600));
  // A matrix of all rows times columns in blocks, and its gradient.
  expect_agreement_on_small_stack(DType::F64, [](Program& p) {
    const ValueId matrix = random_fact(p, 1, Shape(24, 1 << 15), 1);
    p.linear(p.gather(matrix, Index::repeat(1, 9)), random_fact(p, 9, Shape::column(1 << 15), 2));
  });
}

// Both operands transposed: columns of the result are rows of a product.
TEST(LongRows, ProductsOfTransposes) {
  expect_agreement_on_small_stack([](Program& p) {
    LinearOp transposed;
    transposed.transpose_left = transposed.transpose_right = true;
    p.linear(random_fact(p, 1, Shape(2, 1 << 16), 1), random_fact(p, 1, Shape(3, 2), 2),
             transposed);
  });
}

TEST(LongRows, Combinations) {
  const Shape row = Shape::column(kLong);
  expect_agreement_on_small_stack(DType::F64, cross_sum(64));
  expect_agreement_on_small_stack(DType::F64, combination("cossim($0, $1)", row, row));
  expect_agreement_on_small_stack(DType::F64, combination("max($0, $1)", row, row));
  expect_agreement_on_small_stack(DType::F32, combination("concat($0, $1)", row, Shape::column(3)));
  expect_agreement_on_small_stack(DType::F32, combination("tanh(softmax(sum($0, $1)))", row, row));
}

TEST(LongRows, Segments) {
  for (const Combination of :
       {Combination::Sum, Combination::Avg, Combination::ElProduct, Combination::Max}) {
    SCOPED_TRACE(info(of).text);
    expect_agreement_on_small_stack(DType::F64, [of](Program& p) {
      const ValueId x = random_fact(p, 4, Shape::column(kLong), 1, 0.5, 1.5);
      // What Max compares are sums: those of norms are all 0.
      const bool compares = of == Combination::Max;
      const ValueId members =
          compares ? x : p.transform(x, {.id = Transformation::Norm, .target = {}});
      p.segment(members, Segments::ragged({0, 1, 4}), of);
    });
  }
}

// Rows as long as those that ended a program on a stack of 8 MiB.
TEST(LongRows, LongerThanAnyStack) {
  if (kSanitized) GTEST_SKIP() << "the shorter rows above are enough for sanitizers";
  expect_agreement_on_small_stack(DType::F64, outer_product(1450, 1450));
  expect_agreement_on_small_stack(DType::F64, cross_sum(160));
  expect_agreement_on_small_stack(DType::F32, row_function(Transformation::Softmax, 1 << 22));
  expect_agreement_on_small_stack(DType::F64, row_function(Transformation::Norm, 1 << 21));
}

// Many such rows, which threads share out: each has memory of its own.
TEST(LongRows, AnyNumberOfThreadsGivesTheSameBits) {
  Program program(DType::F32);
  const ValueId x = random_fact(program, 16, Shape::column(kLong), 1);
  program.set_sample_count(16);
  program.output(program.transform(x, {.id = Transformation::Softmax, .target = {}}),
                 Index::slice(0, 16));
  std::vector<std::vector<double>> first;
  for (const std::uint32_t threads : {1u, 5u}) {
    ExecutionOptions options;
    options.threads = threads;
    const auto executable = cpu_backend().compile(program, options);
    ASSERT_TRUE(executable) << executable.error().text();
    ASSERT_TRUE((*executable)->run());
    const auto outputs = (*executable)->outputs().value();
    for (std::size_t s = 0; s < outputs.size(); ++s) {
      if (threads == 1) first.push_back(outputs[s].value);
      EXPECT_TRUE(equal_bits(outputs[s].value, first[s])) << s;
    }
  }
}

std::uint64_t scratch_of(const Build& build) {
  Program program(DType::F32);
  build(program);
  std::uint64_t bytes = 0;
  for (const Kernel& kernel : make_plan(learn_facts(program)).kernels) {
    bytes += schedule_for_cpp(kernel, Target()).scratch_bytes;
  }
  return bytes;
}

// Rows that fit stay on the stack, with the text that they had.
TEST(LongRows, ShortOnesNeedNoScratchMemory) {
  EXPECT_EQ(scratch_of(row_function(Transformation::Softmax, 1 << 15)), 0u);
  EXPECT_EQ(scratch_of(outer_product(128, 128)), 0u);
  EXPECT_EQ(scratch_of(row_function(Transformation::Softmax, kLong)), sizeof(float) * kLong);
}

}  // namespace
}  // namespace vecc::test
