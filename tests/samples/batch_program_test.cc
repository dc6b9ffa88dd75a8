// Batches: what the samples of a batch compute is what they compute in the whole.
#include "vecc/batch_program.h"

#include <gtest/gtest.h>

#include <numeric>

#include "src/samples/operand_rows.h"
#include "tests/samples/forward_runs.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

// Some of the samples, in any order.
Samples draw_samples(RandomSource& random, std::uint32_t count) {
  Samples all(count);
  std::iota(all.begin(), all.end(), 0u);
  random.shuffle(all);
  all.resize(1 + random.below(count));
  return all;
}

void check_batch(const Program& program, const Samples& samples) {
  const Program batch = BatchProgram(program).restrict_to(samples);
  const Result<void> verified = verify(batch);
  ASSERT_TRUE(verified) << verified.error().text();
  const auto whole = run_program(program, /*gradients=*/true);
  const auto part = run_program(batch, /*gradients=*/true);
  const auto expected = whole->outputs();
  const auto found = part->outputs();
  ASSERT_TRUE(expected && found);
  ASSERT_EQ(found->size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    SCOPED_TRACE("sample " + std::to_string(samples[i]));
    EXPECT_EQ((*found)[i].shape, (*expected)[samples[i]].shape);
    expect_near_where_finite((*found)[i].value, (*expected)[samples[i]].value);
  }
  ASSERT_TRUE(whole->differentiate(seed_of(*expected, &samples)));
  ASSERT_TRUE(part->differentiate(seed_of(*found)));
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    SCOPED_TRACE("parameter " + std::to_string(p));
    expect_near_where_finite(*part->gradient(p), *whole->gradient(p));
  }
}

TEST(BatchProgram, rows_and_members_that_no_sample_reaches_go) {
  auto program = parse_program(
      "vecc program 1 f32 samples 3\n"
      "%0 = fact {1, 2, 3, 4, 5, 6} : f32[6, 1]\n"
      "%1 = transform %0 tanh : f32[6, 1]\n"
      "%2 = segment %1 [0, 2, 5, 6] sum : f32[3, 1]\n"
      "%3 = output %2 [0:3] : f32[3, 1]\n",
      "p");
  ASSERT_TRUE(program) << program.error().text();
  const Program batch = BatchProgram(*program).restrict_to(Samples{2, 0});
  EXPECT_EQ(print(batch),
            "vecc program 1 f32 samples 2\n"
            "%0 = fact {1, 2, 6} : f32[3, 1]\n"
            "%1 = transform %0 tanh : f32[3, 1]\n"
            "%2 = segment %1 [0, 2, 3] sum : f32[2, 1]\n"
            "%3 = output %2 [1, 0] : f32[2, 1]\n");
}

TEST(BatchProgram, a_weight_that_all_rows_share_is_repeated_as_often_as_needed) {
  auto program = parse_program(
      "vecc program 1 f32 samples 3\n"
      "parameter \"w\" [1, 1] = {2}\n"
      "%0 = weight \"w\" : f32[1, 1]\n"
      "%1 = fact {1, 2, 3} : f32[3, 1]\n"
      "%2 = linear %0 lift(repeat 3), %1 : f32[3, 1]\n"
      "%3 = output %2 [0:3] : f32[3, 1]\n",
      "p");
  ASSERT_TRUE(program) << program.error().text();
  const Program batch = BatchProgram(*program).restrict_to(Samples{1, 2});
  EXPECT_EQ(std::get<LinearOp>(batch.op(2).attributes).lift_left, (Lift{Lift::Kind::Repeat, 2}));
  EXPECT_EQ(batch.op(1).rows, 2u);
}

TEST(BatchProgram, of_random_programs) {
  int checked = 0;
  for_random_programs(300, [&](const Program& program, RandomSource& random) {
    check_batch(program, draw_samples(random, program.sample_count()));
    ++checked;
  });
  EXPECT_GT(checked, 30);
}

// Where an op is said to read the rows that it has, those that are looked up are these.
TEST(OperandRows, are_the_same_where_that_is_said) {
  int same = 0;
  int others = 0;
  for_random_graphs(60, [&](const Program&, const Program& program, RandomSource& random) {
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const Op& op = program.op(id);
      if (op.kind() == OpKind::Contract || op.kind() == OpKind::Output) continue;
      for (std::size_t k = 0; k < op.operands.size(); ++k) {
        std::vector<std::uint32_t> rows;
        for (std::uint32_t row = 0; row < op.rows; ++row) {
          if (random.below(2) == 0) rows.push_back(row);
        }
        if (rows.empty()) rows.push_back(0);
        const bool is_same = reads_same_rows(program, id, k);
        ++(is_same ? same : others);
        if (!is_same) continue;
        EXPECT_EQ(operand_rows(program, id, k, rows), rows) << id << " " << k;
      }
    }
  });
  EXPECT_GT(same, 100);
  EXPECT_GT(others, 100);
}

TEST(BatchProgram, of_random_graphs_as_vectorized_and_optimized) {
  for_random_graphs(60,
                    [](const Program& vectorized, const Program& optimized, RandomSource& random) {
                      const Samples samples = draw_samples(random, vectorized.sample_count());
                      check_batch(vectorized, samples);
                      check_batch(optimized, samples);
                    });
}

}  // namespace
}  // namespace vecc::test
