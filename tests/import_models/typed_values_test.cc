// rgcn, rgat and hgt: values of grounded files, by the reference and vectorized, against the
// formulas; what samples say.
#include <gmock/gmock.h>

#include <cmath>
#include <ostream>

#include "tests/import_models/typed_case.h"
#include "tests/import_models/typed_formulas.h"
#include "tools/import/ground/dimensions.h"
#include "vecc/backend.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

using tools::TypedGraph;
using tools::TypedOptions;

struct Case {
  std::string name;
  std::string model;
  TypedGraphOptions graph;
  TypedOptions options;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.model << ", " << c.name;
}

Case make_case(const std::string& model, const std::string& name) {
  Case c;
  c.name = name;
  c.model = model;
  c.options.dims = {3, 4};
  return c;
}

void add_common(const std::string& model, std::vector<Case>& cases) {
  const auto add = [&](const std::string& name) -> Case& {
    cases.push_back(make_case(model, name));
    return cases.back();
  };
  add("plain");
  add("no_inverse").options.inverse = false;
  add("bias").options.bias = true;
  add("no_bias").options.bias = false;
  add("three_layers").options.dims = {3, 4, 4, 2};
  Case& norm = add("norm");
  norm.options.dims = {3, 4, 5};
  norm.options.layer_norm = true;
  for (const auto& dims : std::vector<std::vector<std::uint32_t>>{{1, 1}, {1, 3, 1}, {4, 1, 1}}) {
    add("dims_of_one").options.dims = dims;
  }
  Case& one_type = add("one_type");
  one_type.graph.node_types = 1;
  one_type.graph.relations = 1;
  add("no_names").graph.named = false;
  Case& one_edge = add("one_edge");
  one_edge.graph.edges = 1;
  one_edge.options.inverse = false;
  add("no_edges").graph.edges = 0;
  add("dense").graph.edges = 300;
  Case& given = add("given_features");
  given.graph.feature_dims = {5, 0, 1};
  given.options.given_features = true;
  Case& given_one = add("given_features_of_dimension_one");
  given_one.graph.feature_dims = {2, 1, 1};
  given_one.options.dims = {1, 2};
  given_one.options.given_features = true;
  Case& labels = add("labels");
  labels.graph.classes = 4;
  Case& multi_label = add("multi_label");
  multi_label.graph.classes = 4;
  multi_label.graph.multi_label = true;
  Case& one_class = add("one_class");
  one_class.graph.classes = 1;
  one_class.options.dims = {3, 4, 1};
}

void add_heads(const std::string& model, std::vector<Case>& cases) {
  for (const std::uint32_t heads : {2u, 3u, 6u}) {
    for (const bool bias : {false, true}) {
      Case c = make_case(model, std::to_string(heads) + (bias ? "_heads_bias" : "_heads"));
      c.options.dims = {4, 6, 6};
      c.options.heads = heads;
      c.options.bias = bias;
      c.options.layer_norm = heads == 3;
      cases.push_back(c);
    }
  }
  Case empty = make_case(model, "heads_no_edges");
  empty.graph.edges = 0;
  empty.options.heads = 2;
  cases.push_back(empty);
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* model : {"rgcn", "rgat", "hgt"}) add_common(model, cases);
  for (const char* model : {"rgat", "hgt"}) add_heads(model, cases);
  Case sum = make_case("rgcn", "sum");
  sum.options.mean = false;
  cases.push_back(sum);
  for (const std::uint32_t heads : {1u, 2u}) {
    Case shared = make_case("rgat", "shared_attention");
    shared.options.shared_attention = true;
    shared.options.heads = heads;
    shared.options.slope = 0.5;
    cases.push_back(shared);
    for (const bool skip : {true, false}) {
      Case gate = make_case("hgt", skip ? "gate" : "no_gate");
      gate.options.dims = {4, 4, 2, 2};
      gate.options.heads = heads;
      gate.options.skip = skip;
      gate.options.layer_norm = heads == 2;
      cases.push_back(gate);
    }
  }
  return cases;
}

class TypedValues : public testing::TestWithParam<Case> {};

// By node: the formula's value, as the samples' outputs have it.
struct Expected {
  TypedGraph data;
  NeuronGraph graph;
  NodeValues values;
  std::vector<std::uint32_t> nodes;  // by sample

  explicit Expected(const Case& c, std::uint64_t seed)
      : data(random_typed_graph(c.graph, seed)), graph(ground_typed(c.model, data, c.options)) {
    values = evaluate_formula(c.model, data, c.options, NamedWeights(graph));
    if (data.labels.empty()) {
      for (std::uint32_t node = 0; node < data.node_count; ++node) nodes.push_back(node);
    }
    for (const tools::NodeLabel& label : data.labels) {
      if (nodes.empty() || nodes.back() != label.node) nodes.push_back(label.node);
    }
  }
};

testing::Matcher<std::vector<double>> near(const std::vector<double>& expected) {
  std::vector<testing::Matcher<double>> matchers;
  for (const double e : expected) {
    matchers.push_back(testing::DoubleNear(e, 1e-12 * std::max(1.0, std::abs(e))));
  }
  return testing::ElementsAreArray(matchers);
}

TEST_P(TypedValues, ReferenceAgreesWithTheFormula) {
  const Case& c = GetParam();
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Expected expected(c, seed);
    const Result<ReferenceValues> found = evaluate_reference(expected.graph);
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_EQ(expected.graph.samples.size(), expected.nodes.size());
    for (std::size_t s = 0; s < expected.nodes.size(); ++s) {
      const NeuronId output = expected.graph.samples[s].output;
      EXPECT_EQ(found->shapes[output], tools::value_shape(c.options.dims.back()));
      const auto value = found->value(output);
      EXPECT_THAT(std::vector<double>(value.begin(), value.end()),
                  near(expected.values[expected.nodes[s]]))
          << "seed " << seed << ", node " << expected.nodes[s];
    }
  }
}

TEST_P(TypedValues, VectorizedAgreesWithTheFormula) {
  const Case& c = GetParam();
  const Expected expected(c, 1);
  VectorizeOptions options;
  options.dtype = DType::F64;
  const Result<Vectorized> vectorized = vectorize(expected.graph, options);
  ASSERT_TRUE(vectorized) << vectorized.error().text();
  auto executable = find_backend("interpreter")->compile(vectorized->program, {});
  ASSERT_TRUE(executable) << executable.error().text();
  ASSERT_TRUE((*executable)->run());
  const auto outputs = (*executable)->outputs();
  ASSERT_TRUE(outputs) << outputs.error().text();
  ASSERT_EQ(outputs->size(), expected.nodes.size());
  for (std::size_t s = 0; s < expected.nodes.size(); ++s) {
    EXPECT_THAT((*outputs)[s].value, near(expected.values[expected.nodes[s]]))
        << "node " << expected.nodes[s];
  }
}

TEST_P(TypedValues, SamplesSayWhatTheDataSays) {
  const Case& c = GetParam();
  const Expected expected(c, 1);
  const NeuronGraph& graph = expected.graph;
  ASSERT_EQ(graph.samples.size(), expected.nodes.size());
  for (std::size_t s = 0; s < expected.nodes.size(); ++s) {
    const std::uint32_t node = expected.nodes[s];
    const Sample& sample = graph.samples[s];
    EXPECT_EQ(graph.sample_ids[s], (c.graph.named ? "node" : "") + std::to_string(node));
    std::vector<double> target(c.graph.classes);
    Split split = Split::Unspecified;
    for (const tools::NodeLabel& label : expected.data.labels) {
      if (label.node != node) continue;
      target[label.label] = 1;
      split = label.split;
    }
    EXPECT_EQ(sample.split, split);
    EXPECT_EQ(sample.has_target, c.graph.classes > 0);
    if (!sample.has_target) continue;
    EXPECT_EQ(sample.target_shape, tools::value_shape(c.graph.classes));
    const auto begin =
        graph.target_values.begin() + static_cast<std::ptrdiff_t>(sample.target_begin);
    EXPECT_EQ(std::vector<double>(begin, begin + c.graph.classes), target);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TypedValues, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<Case>& test) {
                           return test.param.model + "_" + test.param.name + "_" +
                                  std::to_string(test.index);
                         });

}  // namespace
}  // namespace vecc::test
