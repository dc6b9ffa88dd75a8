#include "sample_graphs.h"

#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

std::string write(const GraphBuilder& builder, const std::string& path) {
  const Result<void> written = write_graph(builder.build(), path, Compression::None);
  EXPECT_TRUE(written) << written.error().text();
  return path;
}

}  // namespace

std::string write_small_graph(const std::string& folder) {
  GraphBuilder b;
  const WeightId half = b.weight("half", Shape(), {0.5});
  const WeightId matrix = b.weight("matrix", Shape(2, 2), {1, 0, 0, 2});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const GroupIndex sums = b.group("sums");
  const NeuronId one = b.fact(facts, 1);
  const NeuronId two = b.fact(facts, 2);
  const NeuronId column = b.fact(facts, Shape::column(2), {3, 4});
  const NeuronFunction sum = function(Combination::Sum);
  b.sample(b.neuron(sums, sum, {one, two}, {half, kNoWeight}), Shape(), {1}, "sum");
  b.sample(b.neuron(b.group("averages", NeuronClass::Rule), function(Combination::Avg), {one, two}),
           "avg");
  b.sample(b.neuron(b.group("vectors"), sum, {column}, {matrix}), Shape::column(2), {3, 7},
           "vector");
  return write(b, folder + "/small.pb");
}

std::string write_open_graph(const std::string& folder) {
  GraphBuilder b;
  const WeightId open = b.weight_table("open", 2, Shape(), {});
  const WeightId given = b.weight("given", Shape(), {2});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const GroupIndex rules = b.group("rule");
  const NeuronId one = b.fact(facts, 1);
  const NeuronId three = b.fact(facts, 3);
  const NeuronFunction sum = function(Combination::Sum);
  b.sample(b.neuron(rules, sum, {one}, {open}), "first");
  b.sample(b.neuron(rules, sum, {three, three}, {open + 1, given}), "both");
  return write(b, folder + "/open.pb");
}

std::string write_thirds_graph(const std::string& folder) {
  GraphBuilder b;
  const WeightId table = b.weight_table("table", 3, Shape(), {1, 1, 0});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const NeuronId zero = b.fact(facts, 0);
  const GroupIndex learnable = b.group("learnable", NeuronClass::Fact);
  const NeuronId first = b.learnable_fact(learnable, table);
  const NeuronId last = b.learnable_fact(learnable, table + 2);
  const GroupIndex rules = b.group("rule", NeuronClass::Rule);
  b.sample(b.neuron(rules, function(Combination::Avg), {first, zero, zero}));
  b.sample(b.neuron(rules, function(Combination::Sum, Transformation::Sqrt), {last}));
  return write(b, folder + "/thirds.pb");
}

std::string write_not_finite_graph(const std::string& folder) {
  GraphBuilder b;
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const GroupIndex rules = b.group("rule", NeuronClass::Rule);
  const NeuronId minus_one = b.fact(facts, -1);
  const NeuronId zero = b.fact(facts, 0);
  b.sample(b.neuron(rules, function(Combination::Sum, Transformation::Log), {minus_one}), "nan");
  b.sample(b.neuron(rules, function(Combination::Sum, Transformation::Inverse), {zero}),
           "infinity");
  return write(b, folder + "/not_finite.pb");
}

std::string write_hostile_graph(const std::string& folder) {
  const std::string evil =
      "evil\n\"];\n\t*/ --> </script><script>alert(1)</script> \x1b[2J\x1b]0;t\x07 \\ \r "
      "\xc2\x9b"
      "31m %7 = fact # { } %s%n";
  GraphBuilder b;
  const WeightId weight = b.weight("w " + evil, Shape(), {1});
  const GroupIndex facts = b.group("facts " + evil, NeuronClass::Fact, "rule " + evil);
  const GroupIndex rules = b.group("rules " + evil, NeuronClass::WeightedRule, "rule " + evil);
  for (int i = 0; i < 2; ++i) {
    const NeuronId fact = b.fact(facts, 1);
    const NeuronId neuron = b.neuron(rules, function(Combination::Sum), {fact}, {weight});
    b.name(neuron, "neuron " + evil + std::to_string(i));
    b.sample(neuron, Shape(), {1}, evil + std::to_string(i));
  }
  return write(b, folder + "/hostile.pb");
}

std::string write_named_table_graph(const std::string& folder, const std::string& table) {
  GraphBuilder b;
  const WeightId half = b.weight(table, Shape(), {0.5});
  const NeuronId three = b.fact(b.group("fact", NeuronClass::Fact), 3);
  const NeuronId product = b.neuron(b.group("rule"), function(Combination::Sum), {three}, {half});
  b.sample(product, Shape(), {1}, "half");
  return write(b, folder + "/named.pb");
}

std::string write_ungrouped_graph(const std::string& folder, unsigned count) {
  GraphBuilder b;
  const WeightId half = b.weight("half", Shape(), {0.5});
  auto name = [k = 0]() mutable { return "n" + std::to_string(k++); };
  for (unsigned i = 0; i < count; ++i) {
    const NeuronId fact = b.fact(b.group(name(), NeuronClass::Fact), .1 * i);
    const NeuronId sum =
        b.neuron(b.group(name()), function(Combination::Sum), {fact, fact}, {half, half});
    b.sample(b.neuron(b.group(name()), function(Combination::Sum, Transformation::Tanh), {sum}));
  }
  return write(b, folder + "/ungrouped.pb");
}

std::string write_wide_graph(const std::string& folder, unsigned count) {
  GraphBuilder b;
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const GroupIndex rules = b.group("rule", NeuronClass::Rule);
  for (unsigned i = 0; i < count; ++i) {
    const NeuronId fact = b.fact(facts, i);
    b.sample(b.neuron(rules, function(Combination::Sum, Transformation::Tanh), {fact}));
  }
  return write(b, folder + "/wide.pb");
}

}  // namespace vecc::test
