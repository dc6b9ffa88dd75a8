// What a training draws: its distributions, and what batches are made of.
#include "src/kg/train/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "src/kg/train/training_batch.h"
#include "tests/kg/random_embeddings.h"
#include "vecc/backend.h"

namespace vecc::test {
namespace {

using kg::Corruption;
using kg::Draws;
using kg::DrawStream;
using kg::NegativeDraw;
using kg::Side;
using kg::Triple;

double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] == 0) {
      EXPECT_EQ(counts[i], 0) << i;
      continue;
    }
    sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  }
  return sum;
}
// What 1 draw of 10,000 is above, of the chi-square distribution of n - 1 degrees of freedom
// (Wilson and Hilferty 1931).
double largest_chi_square(double n) {
  const double degrees = n - 1;
  const double root = 1 - 2 / (9 * degrees) + 3.719 * std::sqrt(2 / (9 * degrees));
  return degrees * root * root * root;
}

TEST(KgDraws, WholeNumbersAreUniform) {
  constexpr std::uint32_t kBins = 97;
  constexpr double kDraws = 97 * 1000;
  for (const std::uint64_t step : {0ull, 1ull, 1ull << 40}) {
    for (const auto stream : {DrawStream::Order, DrawStream::Sides, DrawStream::Negatives}) {
      std::vector<double> counts(kBins);
      const Draws draws(5, stream, step);
      for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[draws.below(i, kBins)];
      EXPECT_LT(chi_square(counts, std::vector<double>(kBins, kDraws / kBins)),
                largest_chi_square(kBins));
    }
  }
}

TEST(KgDraws, DifferBySeedStreamStepAndPosition) {
  std::set<std::uint64_t> all;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32}) {
    for (const auto stream : {DrawStream::Order, DrawStream::Sides, DrawStream::Negatives}) {
      for (const std::uint64_t step : {0ull, 1ull, 1ull << 32}) {
        for (const std::uint64_t at : {0ull, 1ull, 1ull << 32}) {
          all.insert(Draws(seed, stream, step).bits(at));
        }
      }
    }
  }
  EXPECT_EQ(all.size(), 81u);
}

TEST(KgDraws, BelowIsTheUpperPartOfTheProduct) {
  const Draws draws(1, DrawStream::Negatives, 2);
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (const std::uint32_t count : {1u, 2u, 14541u, 0xFFFFFFFFu}) {
      const auto product = static_cast<__uint128_t>(draws.bits(i)) * count;
      EXPECT_EQ(draws.below(i, count), static_cast<std::uint32_t>(product >> 64));
    }
  }
}

// A `draw` of a Program draws the negatives of a training.
TEST(KgDraws, AreThoseOfAProgram) {
  constexpr std::uint32_t kRows = 40;
  const auto stream = static_cast<std::uint32_t>(DrawStream::Negatives);
  for (const std::uint64_t seed : {std::uint64_t{7}, ~std::uint64_t{0}}) {
    for (const double step : {0.0, 3.0, 0x1p52}) {
      Program program(DType::F64);
      const ValueId number = program.fact({step}, 1, Shape());
      const ValueId draw = *program.add(DrawOp{kRows, 14541, seed, stream}, {number});
      ExecutionOptions options;
      options.keep_values = true;
      const auto executable = *find_backend("interpreter")->compile(program, options);
      ASSERT_TRUE(executable->run());
      const std::vector<double> found = *executable->read(draw);
      const Draws draws(seed, DrawStream::Negatives, static_cast<std::uint64_t>(step));
      for (std::uint32_t i = 0; i < kRows; ++i) EXPECT_EQ(found[i], draws.below(i, 14541));
    }
  }
}

TEST(KgDraws, AnOrderHasEveryPlaceForEveryNumber) {
  constexpr std::uint32_t kCount = 8;
  std::vector<double> counts(kCount * kCount);
  for (std::uint64_t epoch = 0; epoch < 20000; ++epoch) {
    const auto order = kg::draw_order(3, epoch, kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) ++counts[i * kCount + order[i]];
  }
  // Rows and columns have fixed sums: 49 degrees of freedom.
  EXPECT_LT(chi_square(counts, std::vector<double>(counts.size(), 20000.0 / kCount)),
            largest_chi_square(50));
}

TEST(KgDraws, WeightsAreProbabilities) {
  const std::vector<double> weights{0, 1, 3, 0, 0.5, 10, 0};
  const kg::WeightedDraw weighted(weights);
  std::vector<double> counts(weights.size());
  std::vector<double> expected;
  for (const double weight : weights) expected.push_back(weight / 14.5 * 50000);
  const Draws draws(9, DrawStream::Negatives, 4);
  for (std::uint64_t i = 0; i < 50000; ++i) ++counts[weighted.draw(draws, i)];
  EXPECT_LT(chi_square(counts, expected), largest_chi_square(4));
}

std::vector<double> count_negatives(kg::BatchMaker& maker, std::uint32_t entities, double& total) {
  std::vector<double> counts(entities);
  total = 0;
  for (std::uint64_t epoch = 0; epoch < 200; ++epoch) {
    for (std::uint64_t batch = 0; batch < maker.batch_count(); ++batch) {
      for (const std::uint32_t entity : maker.make(epoch, batch).negatives) {
        ++counts[entity];
        ++total;
      }
    }
  }
  return counts;
}

TEST(KgDraws, NegativesAreUniformOrByDegree) {
  constexpr std::uint32_t kAll = 12;
  const std::vector<Triple> triples = random_triples(kAll - 1, 3, 40, 8);  // entity 11: in none
  double total = 0;
  kg::BatchMaker uniform(triples, kAll, 3, {16, 5}, 11, 2);
  std::vector<double> counts = count_negatives(uniform, kAll, total);
  EXPECT_LT(chi_square(counts, std::vector<double>(kAll, total / kAll)), largest_chi_square(kAll));

  kg::BatchMaker by_degree(triples, kAll, 3, {16, 5, Corruption::Both, NegativeDraw::Degree}, 11,
                           2);
  counts = count_negatives(by_degree, kAll, total);
  std::vector<double> expected(kAll);
  for (const Triple& triple : triples) {
    ++expected[triple.head];
    ++expected[triple.tail];
  }
  double sum = 0;
  for (double& weight : expected) sum += weight = std::pow(weight, 0.75);
  for (double& weight : expected) weight *= total / sum;
  EXPECT_LT(chi_square(counts, expected), largest_chi_square(kAll - 1));
  EXPECT_EQ(counts[kAll - 1], 0);
}

TEST(KgDraws, BernoulliReplacesTheSideThatHasMore) {
  // Relation 0: one head, four tails: tph 4, hpt 1.
  const std::vector<Triple> triples{{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}};
  kg::BatchMaker maker(triples, 5, 1, {1, 4, Corruption::Bernoulli}, 4, 6);
  std::vector<double> counts(2);
  for (std::uint64_t epoch = 0; epoch < 5000; ++epoch) {
    for (const kg::Query& query : maker.make(epoch, 0).queries) {
      ++counts[query.asked == Side::Head ? 0 : 1];
    }
  }
  EXPECT_LT(chi_square(counts, {20000 * 0.8, 20000 * 0.2}), largest_chi_square(2));
}

TEST(KgBatches, AnEpochHasEveryTripleOnceOnEachSide) {
  const std::vector<Triple> triples = random_triples(9, 2, 23, 1);
  kg::BatchMaker maker(triples, 9, 2, {3, 4}, 10, 0);
  ASSERT_EQ(maker.batch_count(), 3u);
  for (const Side side : {Side::Head, Side::Tail}) {
    std::vector<std::array<std::uint32_t, 3>> found;
    for (std::uint64_t b = 0; b < 3; ++b) {
      const kg::TrainingBatch batch = maker.make(4, b);
      for (std::size_t i = 0; i < batch.queries.size(); ++i) {
        const kg::Query& q = batch.queries[i];
        if (q.asked != side) continue;
        found.push_back(side == Side::Tail ? std::array{q.anchor, q.relation, batch.answers[i]}
                                           : std::array{batch.answers[i], q.relation, q.anchor});
      }
    }
    std::vector<std::array<std::uint32_t, 3>> expected;
    for (const Triple& t : triples) expected.push_back({t.head, t.relation, t.tail});
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }
}

TEST(KgBatches, AreTheSameInAnyOrder) {
  const std::vector<Triple> triples = random_triples(9, 2, 23, 1);
  kg::BatchMaker forward(triples, 9, 2, {3, 4}, 10, 7);
  kg::BatchMaker backward(triples, 9, 2, {3, 4}, 10, 7);
  const kg::TrainingBatch first = forward.make(0, 1);
  (void)backward.make(5, 2);
  EXPECT_EQ(backward.make(0, 1).negatives, first.negatives);
  EXPECT_EQ(backward.make(0, 1).answers, first.answers);
  EXPECT_NE(forward.make(1, 1).negatives, first.negatives);
}

}  // namespace
}  // namespace vecc::test
