// What a recursion costs is linear in its depth, from the vectorizer to the Plan: counted, not
// timed.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "tests/support/graph_builder.h"
#include "vecc/differentiate.h"
#include "vecc/optimize.h"
#include "vecc/plan.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

const NeuronFunction kCell = function(Combination::Sum, Transformation::Tanh);

// Each neuron reads the one before; the last is a sample.
NeuronGraph one_chain(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {.9});
  const GroupIndex cell = b.group("cell");
  NeuronId last = b.fact(b.group("x", NeuronClass::Fact), 1);
  for (std::uint32_t k = 0; k < depth; ++k) last = b.neuron(cell, kCell, {last}, {w});
  b.sample(last);
  return b.build();
}

// The same with a weight each level, and all levels summed up in the end.
NeuronGraph weight_a_level(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight_table("w", depth, Shape(), std::vector<double>(depth, .9));
  const GroupIndex cell = b.group("cell");
  NeuronId last = b.fact(b.group("x", NeuronClass::Fact), 1);
  std::vector<NeuronId> all;
  for (std::uint32_t k = 0; k < depth; ++k) {
    last = b.neuron(cell, kCell, {last}, {w + k});
    all.push_back(last);
  }
  b.sample(b.neuron(b.group("all"), kCell, all));
  return b.build();
}

// A group a level.
NeuronGraph group_a_level(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {.9});
  NeuronId last = b.fact(b.group("x", NeuronClass::Fact), 1);
  for (std::uint32_t k = 0; k < depth; ++k) {
    last = b.neuron(b.group("h" + std::to_string(k)), kCell, {last}, {w});
  }
  b.sample(last);
  return b.build();
}

// Twenty chains of one group, of different lengths.
NeuronGraph uneven_chains(std::uint32_t depth) {
  constexpr std::uint32_t kChains = 20;
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {.9});
  const GroupIndex facts = b.group("x", NeuronClass::Fact);
  const GroupIndex cell = b.group("cell");
  for (std::uint32_t c = 1; c <= kChains; ++c) {
    NeuronId last = b.fact(facts, 1. / c);
    for (std::uint32_t k = 0; k < depth * c / kChains; ++k) {
      last = b.neuron(cell, kCell, {last}, {w});
    }
    b.sample(last);
  }
  return b.build();
}

// Rows of three that read the last two rows and one halfway back.
NeuronGraph skipping_rows(std::uint32_t depth) {
  constexpr std::uint32_t kWidth = 3;
  GraphBuilder b;
  const WeightId w = b.weight_table("w", 3, Shape(), {.5, .3, .2});
  const GroupIndex cell = b.group("cell");
  const GroupIndex facts = b.group("x", NeuronClass::Fact);
  std::vector<NeuronId> rows;
  for (std::uint32_t c = 0; c < kWidth; ++c) rows.push_back(b.fact(facts, 1. / (c + 1)));
  for (std::uint32_t k = 1; k <= depth; ++k) {
    for (std::uint32_t c = 0; c < kWidth; ++c) {
      const auto at = [&](std::uint32_t row, std::uint32_t column) {
        return rows[row * kWidth + column % kWidth];
      };
      rows.push_back(b.neuron(cell, kCell,
                              {at(k - 1, c), at(k - std::min(k, 2u), c + 1), at(k / 2, c)},
                              {w, w + 1, w + 2}));
    }
  }
  b.sample(rows.back());
  return b.build();
}

// anc(X,Z) :- parent(X,Y), anc(Y,Z): a rule, an aggregation and an atom a level.
NeuronGraph ancestor_levels(std::uint32_t depth) {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(), {.9});
  const GroupIndex facts = b.group("parent", NeuronClass::Fact);
  const GroupIndex rule = b.group("anc", NeuronClass::Rule);
  const GroupIndex aggregation = b.group("anc", NeuronClass::Aggregation);
  const GroupIndex atom = b.group("anc", NeuronClass::WeightedAtom);
  NeuronId last = b.fact(facts, .5);
  for (std::uint32_t k = 0; k < depth; ++k) {
    const NeuronId body = b.neuron(rule, kCell, {b.fact(facts, 1. / (k + 1)), last});
    const NeuronId most = b.neuron(aggregation, function(Combination::Max), {body, body});
    last = b.neuron(atom, kCell, {most}, {w});
  }
  b.sample(last);
  return b.build();
}

/// What a graph is made of, stage by stage.
struct Work {
  std::uint64_t vectorized = 0;  ///< ops, rows, operands and bytes of values and indices
  std::uint64_t optimized = 0;
  std::uint64_t differentiated = 0;
  std::uint64_t planned = 0;  ///< launches, accesses, entries of arrays, buffers and tiles
  std::uint64_t kernels = 0;
};

std::uint64_t size_of(const Program& program) {
  const ProgramStatistics s = statistics(program);
  std::uint64_t size = s.ops + s.rows + s.value_bytes + s.index_bytes;
  for (const Op& op : program.ops()) size += op.operands.size();
  return size;
}

std::uint64_t size_of(const Plan& plan) {
  std::uint64_t size = plan.launches.size() + plan.buffers.size();
  for (const Launch& launch : plan.launches) size += launch.accesses.size() + launch.tiles.size();
  for (const auto& array : plan.arrays) size += array->size();
  return size;
}

Work work_of(const NeuronGraph& graph) {
  Work work;
  auto vectorized = vectorize(graph);
  EXPECT_TRUE(vectorized);
  work.vectorized = size_of(vectorized->program);
  auto optimized = optimize(std::move(vectorized->program), {});
  EXPECT_TRUE(optimized);
  Program& program = *optimized;
  work.optimized = size_of(program);
  std::vector<Seed> seeds;
  const auto forward = static_cast<ValueId>(program.ops().size());
  for (ValueId id = 0; id < forward; ++id) {
    if (program.op(id).kind() != OpKind::Output) continue;
    const Op& op = program.op(id);
    seeds.push_back(
        {op.operands[0], program.fact(std::vector<double>(op.size(), 1.0), op.rows, op.shape)});
  }
  std::vector<ParameterIndex> wanted(program.parameters().size());
  std::iota(wanted.begin(), wanted.end(), 0u);
  const auto gradients = append_gradients(program, seeds, wanted);
  EXPECT_TRUE(gradients);
  work.differentiated = size_of(program);
  PlanOptions options;
  for (const auto& gradient : *gradients) options.kept.push_back(*gradient);
  const Plan plan = make_plan(program, options);
  const auto verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  work.planned = size_of(plan);
  work.kernels = plan.kernels.size();
  return work;
}

// A kernel holds up to 64 nodes of a chain; how many levels that are differs at its ends.
constexpr std::uint64_t kMostKernels = 48;

class Depth : public testing::TestWithParam<NeuronGraph (*)(std::uint32_t)> {};

TEST_P(Depth, TwiceAsDeepIsTwiceTheWork) {
  const Work once = work_of(GetParam()(400));
  const Work twice = work_of(GetParam()(800));
  const auto expect_linear = [](const char* stage, std::uint64_t a, std::uint64_t b) {
    EXPECT_LE(static_cast<double>(b), 2.2 * static_cast<double>(a)) << stage << " " << a;
  };
  expect_linear("vectorized", once.vectorized, twice.vectorized);
  expect_linear("optimized", once.optimized, twice.optimized);
  expect_linear("differentiated", once.differentiated, twice.differentiated);
  expect_linear("planned", once.planned, twice.planned);
  EXPECT_LE(twice.kernels, kMostKernels);
}

INSTANTIATE_TEST_SUITE_P(Recursions, Depth,
                         testing::Values(&one_chain, &weight_a_level, &group_a_level,
                                         &uneven_chains, &skipping_rows, &ancestor_levels));

}  // namespace
}  // namespace vecc::test
