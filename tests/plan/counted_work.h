// What a graph costs, from the vectorizer to the Plan, forward and backward: counted, not timed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "vecc/differentiate.h"
#include "vecc/neuron_graph.h"
#include "vecc/optimize.h"
#include "vecc/plan.h"
#include "vecc/vectorize.h"

namespace vecc::test {

/// What a graph is made of, stage by stage.
struct Work {
  std::uint64_t vectorized = 0;  ///< ops, rows, operands and bytes of values and indices
  std::uint64_t optimized = 0;
  std::uint64_t differentiated = 0;
  std::uint64_t planned = 0;  ///< launches, accesses, entries of arrays, buffers and tiles
  std::uint64_t kernels = 0;
};

inline std::uint64_t size_of(const Program& program) {
  const ProgramStatistics s = statistics(program);
  std::uint64_t size = s.ops + s.rows + s.value_bytes + s.index_bytes;
  for (const Op& op : program.ops()) size += op.operands.size();
  return size;
}

inline std::uint64_t size_of(const Plan& plan) {
  std::uint64_t size = plan.launches.size() + plan.buffers.size();
  for (const Launch& launch : plan.launches) size += launch.accesses.size() + launch.tiles.size();
  for (const auto& array : plan.arrays) size += array->size();
  return size;
}

inline Work work_of(const NeuronGraph& graph) {
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
  for (const auto& gradient : *gradients) {
    if (gradient) options.kept.push_back(*gradient);
  }
  const Plan plan = make_plan(program, options);
  const auto verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  work.planned = size_of(plan);
  work.kernels = plan.kernels.size();
  return work;
}

/// At every stage `more` is at most `factor` times `less`.
inline void expect_linear(const Work& less, const Work& more, double factor) {
  const auto expect = [factor](const char* stage, std::uint64_t a, std::uint64_t b) {
    EXPECT_LE(static_cast<double>(b), factor * static_cast<double>(a)) << stage << " " << a;
  };
  expect("vectorized", less.vectorized, more.vectorized);
  expect("optimized", less.optimized, more.optimized);
  expect("differentiated", less.differentiated, more.differentiated);
  expect("planned", less.planned, more.planned);
}

}  // namespace vecc::test
