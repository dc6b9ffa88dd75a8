// Units and constants in numbers: what merge-units, dedup-facts, materialize-units, drop-identity
// and fold-constants leave of large Programs and of real graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/optimizer/pass_case.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

std::uint64_t count_of(const OptimizeReport& report, std::string_view counter) {
  std::uint64_t sum = 0;
  for (const PassRun& run : report.runs) {
    for (const auto& [name, amount] : run.counters) sum += name == counter ? amount : 0;
  }
  return sum;
}

std::uint64_t fact_rows(const Program& program, bool units) {
  std::uint64_t rows = 0;
  for (const Op& op : program.ops()) {
    const auto* fact = std::get_if<FactOp>(&op.attributes);
    if (fact && fact->unit == units) rows += op.rows;
  }
  return rows;
}

std::uint64_t kind_count(const Program& program, OpKind kind) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(program.ops(), [&](const Op& op) { return op.kind() == kind; }));
}

Program data_set(const std::string& name) {
  const char* source = std::getenv("VECC_SOURCE_DIR");
  const auto graph = read_graph(std::string(source ? source : ".") + "/datasets/" + name);
  VECC_CHECK(graph.has_value(), graph.error().text());
  auto vectorized = vectorize(*graph);
  VECC_CHECK(vectorized.has_value(), vectorized.error().text());
  return std::move(vectorized->program);
}

// A fact of `rows` rows of `size` elements, row i filled with i % distinct, and its tanh as output.
Program repeated_fact(std::uint32_t rows, std::uint32_t size, std::uint32_t distinct) {
  Program program;
  program.set_sample_count(rows);
  std::vector<double> values;
  values.reserve(std::size_t{rows} * size);
  for (std::uint32_t i = 0; i < rows; ++i) values.insert(values.end(), size, i % distinct);
  const ValueId fact = program.fact(std::move(values), rows, Shape::column(size));
  program.output(program.transform(fact, {.id = Transformation::Tanh, .target = {}}),
                 Index::slice(0, rows));
  return program;
}

TEST(Constants, mutagenesis_reads_one_unit_row) {
  const Program before = data_set("mutagenesis.pb");
  ASSERT_EQ(fact_rows(before, true), 10136u);
  const Program after = run_passes(before, {"merge-units"});
  EXPECT_EQ(fact_rows(after, true), 1u);
  EXPECT_EQ(after.op(after.ops().back().operands[0]).rows, 188u);
}

TEST(Constants, mutagenesis_joins_bonds_and_atoms_of_three_layers) {
  const Program before = data_set("mutagenesis.pb");
  OptimizeReport report;
  const Program after = run_passes(before, {"materialize-units", "drop-dead"}, &report);
  EXPECT_EQ(count_of(report, "mixed segments joined"), 3u);
  EXPECT_EQ(fact_rows(after, true), 0u);
  EXPECT_EQ(kind_count(before, OpKind::Linear), kind_count(after, OpKind::Linear));
  EXPECT_LT(kind_count(after, OpKind::Gather), kind_count(before, OpKind::Gather));
}

TEST(Constants, mutagenesis_embeddings_fold_to_one_row) {
  // tanh of 10,136 units is one number.
  OptimizeReport report;
  const Program after = run_passes(data_set("mutagenesis.pb"), {"fold-constants"}, &report);
  EXPECT_EQ(count_of(report, "values folded"), 1u);
  EXPECT_EQ(fact_rows(after, false), 1u);
}

TEST(Constants, facts_of_a_million_rows_keep_the_distinct_ones) {
  const Program after = run_passes(repeated_fact(1'000'000, 3, 777), {"dedup-facts"});
  EXPECT_EQ(fact_rows(after, false), 777u);
  EXPECT_EQ(after.ops().back().rows, 1'000'000u);
}

TEST(Constants, folding_keeps_the_distinct_rows) {
  const Program after = run_passes(repeated_fact(300'000, 2, 777), {"fold-constants"});
  EXPECT_EQ(fact_rows(after, false), 21u);  // from 20 on tanh is 1
  EXPECT_EQ(kind_count(after, OpKind::Transform), 0u);
}

TEST(Constants, many_facts_that_share_a_row_become_one) {
  // Fact k holds k and k + 1: a chain of 20,000 facts, one after another the leader's.
  constexpr std::uint32_t kFacts = 20'000;
  Program program;
  program.set_sample_count(2 * kFacts);
  for (std::uint32_t k = 0; k < kFacts; ++k) {
    program.output(program.fact({double(k), double(k + 1)}, 2, Shape::scalar()),
                   Index::slice(2 * k, 2));
  }
  EXPECT_EQ(fact_rows(run_passes(program, {"dedup-facts"}), false), kFacts + 1u);
}

TEST(Constants, deep_chains_of_identities_and_constants_go_at_once) {
  constexpr std::uint32_t kDepth = 20'000;
  Program program;
  program.set_sample_count(3);
  const ValueId fact = program.fact({0.5, 0.25, 0.125}, 3, Shape::scalar());
  ValueId value = fact;
  for (std::uint32_t k = 0; k < kDepth; ++k) {
    value = program.segment(value, Segments::fixed(1), Combination::Sum);
    value = program.transform(value, {.id = Transformation::Sigmoid, .target = {}});
  }
  program.output(value, Index::slice(0, 3));
  const Program without = run_passes(program, {"drop-identity"});
  EXPECT_EQ(without.ops().size(), kDepth + 2u);
  const Program folded = run_passes(program, {"fold-constants"});
  EXPECT_EQ(folded.ops().size(), 3u);  // all three are sigmoid's fixed point: one row, gathered
}

// A linear w x of `rows` rows, one weight, x one-hot of `length` elements in turn.
Program one_hot_linear(std::uint32_t rows, std::uint32_t length, std::uint32_t weights) {
  Program program;
  program.set_sample_count(rows);
  auto parameter = program.add_parameter({"w", weights, Shape(4, length), nullptr});
  const ValueId weight = program.weight(parameter.value());
  std::vector<double> values(std::size_t{length} * length);
  for (std::size_t k = 0; k < length; ++k) values[k * length + k] = 1;
  const ValueId fact = program.fact(std::move(values), length, Shape::column(length));
  std::vector<std::uint32_t> places(rows);
  std::vector<std::uint32_t> types(rows);
  for (std::uint32_t i = 0; i < rows; ++i) {
    places[i] = i % length;
    types[i] = i / length % weights;
  }
  program.output(program.linear(program.gather(weight, Index::compact(types)),
                                program.gather(fact, Index::compact(places))),
                 Index::slice(0, rows));
  return program;
}

TEST(Constants, a_weight_is_sliced_once_for_each_place_of_a_one) {
  OptimizeReport report;
  const Program after = run_passes(one_hot_linear(1000, 20, 2), {"fold-constants"}, &report);
  EXPECT_EQ(count_of(report, "products by one-hot rows dropped"), 1000u);
  EXPECT_EQ(kind_count(after, OpKind::Linear), 0u);
  const auto slice = std::ranges::find(after.ops(), OpKind::Transform, &Op::kind);
  ASSERT_NE(slice, after.ops().end());
  EXPECT_EQ(slice->rows, 40u);
}

TEST(Constants, slices_that_are_read_once_do_not_pay) {
  // 2 weights x 20 places, each pair once.
  const Program program = one_hot_linear(40, 20, 2);
  EXPECT_EQ(kind_count(run_passes(program, {"fold-constants"}), OpKind::Linear), 1u);
}

}  // namespace
}  // namespace vecc::test
