// Initial values: NeuraLogic's own, and the properties that its documentation states.
#include "vecc/initialize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/train/golden_json.h"

namespace vecc {
namespace {

using Json = nlohmann::json;

Shape shape_of(const Json& value) {
  const auto& size = value["size"];
  return size.empty() ? Shape::scalar() : Shape(size[0], size[1]);
}

/// A graph with the tables of a dump, none with values. Those with the value One are not drawn.
NeuronGraph graph_of(const Json& golden, const Json& weights) {
  NeuronGraph graph;
  for (const int index : golden["order"]) {
    const Json& weight = weights[std::to_string(index)];
    if (!weight["learnable"].get<bool>()) continue;
    WeightTable table;
    table.name = weight["name"];
    table.shape = shape_of(weight["value"]);
    table.first = static_cast<WeightId>(graph.weight_tables.size());
    table.count = 1;
    graph.weight_tables.push_back(table);
  }
  return graph;
}

TEST(Initialize, gives_NeuraLogics_weights) {
  const std::string path = test::golden_path("initializers");
  if (!test::has_golden(path)) GTEST_SKIP() << path << " is not there";
  const Json golden = test::read_golden(path);
  const Json& by_name = golden["initializers"]["master"];
  const std::map<std::string, Initializer> names{
      {"UNIFORM", Initializer::Uniform}, {"SIMPLE", Initializer::Uniform},
      {"NORMAL", Initializer::Normal},   {"CONSTANT", Initializer::Constant},
      {"GLOROT", Initializer::Glorot},   {"HE", Initializer::He}};
  ASSERT_EQ(by_name.size(), names.size());
  for (const auto& [name, initializer] : names) {
    SCOPED_TRACE(name);
    NeuronGraph graph = graph_of(golden, by_name[name]);
    EXPECT_EQ(initialize_weights(graph, initializer, golden["seed"]), graph.weight_tables.size());
    ASSERT_EQ(graph.weight_tables.size(), 21u);
    for (const WeightTable& table : graph.weight_tables) {
      const Json& expected = by_name[name][table.name.substr(1)]["value"]["data"];
      ASSERT_EQ(table.values.size(), expected.size()) << table.name;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(table.values[i], expected[i].get<double>(), 1e-15) << table.name << " " << i;
      }
    }
  }
}

TEST(Initialize, is_java_util_Random) {
  // The first numbers of new java.util.Random(42), as its specification gives them.
  JavaRandom ints(42);
  EXPECT_EQ(ints.next(32), -1170105035);
  EXPECT_EQ(ints.next(32), 234785527);
  JavaRandom doubles(42);
  EXPECT_DOUBLE_EQ(doubles.next_double(), 0.7275636800328681);
  EXPECT_DOUBLE_EQ(doubles.next_double(), 0.6832234717598454);
  JavaRandom gaussians(42);
  EXPECT_DOUBLE_EQ(gaussians.next_gaussian(), 1.1419053154730547);
  EXPECT_DOUBLE_EQ(gaussians.next_gaussian(), 0.9194079489827879);
  JavaRandom bounded(42);
  EXPECT_EQ(bounded.next_int(10), 0);
  EXPECT_EQ(bounded.next_int(10), 3);
  EXPECT_EQ(bounded.next_int(16), 10);
}

TEST(Initialize, next_int_stays_below_its_bound) {
  JavaRandom random(7);
  for (const std::int32_t bound : {1, 2, 3, 1000, (1 << 30) + 1}) {
    for (int i = 0; i < 1000; ++i) {
      const std::int32_t value = random.next_int(bound);
      ASSERT_GE(value, 0);
      ASSERT_LT(value, bound);
    }
  }
}

TEST(Initialize, keeps_values_that_are_there) {
  NeuronGraph graph;
  graph.weight_tables.resize(2);
  graph.weight_tables[0].count = 1;
  graph.weight_tables[0].has_values = true;
  graph.weight_tables[0].values = SharedNumbers::repeated(1, 5);
  graph.weight_tables[1].count = 3;
  graph.weight_tables[1].shape = Shape(2, 2);
  EXPECT_EQ(initialize_weights(graph, Initializer::Glorot, 1), 3u);
  EXPECT_EQ(graph.weight_tables[0].values.doubles(), std::vector<double>{5});
  ASSERT_EQ(graph.weight_tables[1].values.size(), 12u);
  for (const double value : graph.weight_tables[1].values.doubles()) {
    EXPECT_LE(std::abs(value), std::sqrt(6.0) / 2);
  }
}

TEST(Initialize, names_round_trip) {
  for (const Initializer initializer :
       {Initializer::Uniform, Initializer::Normal, Initializer::Constant, Initializer::Glorot,
        Initializer::He}) {
    EXPECT_EQ(parse_initializer(text_of(initializer)), initializer);
  }
  EXPECT_FALSE(parse_initializer("none"));
}

}  // namespace
}  // namespace vecc
