// examples/mutagenesis: the templates of the relational experiments over the real database make
// NeuraLogic's own graph, up to the order of neurons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>

#include "tests/import_sql/databases.h"
#include "tests/tools/process.h"
#include "vecc/backend.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "." : value;
}

std::string tables() {
  return environment("VECC_BINARY_DIR") + "/data/rel_mutagenesis188";
}

/// The example's command, with the weights that NeuraLogic starts from.
Result<NeuronGraph> ground(const std::string& database, const std::string& model) {
  const std::string folder = environment("VECC_SOURCE_DIR") + "/examples/mutagenesis/";
  const std::string graph = test_folder() + "/graph.pb";
  const Finished done =
      run_tool("vecc-import",
               {"sql", database, "--target=drugs.active", "--infer-keys",
                "--foreign-key=bonds.atom1_id:atoms.id", "--foreign-key=bonds.atom2_id:atoms.id",
                "--column=atoms.element:category", "--column=bonds.bond_type:category", "--valid=0",
                "--test=0", "--init=uniform", "--seed=0", "--template=" + folder + model + ".txt",
                "-o", graph});
  EXPECT_EQ(done.code, 0) << done.err;
  return read_graph(graph);
}

/// The query of one database names its molecule; NeuraLogic has an example for each.
std::string name_of(const NeuronGroup& group) {
  const bool is_query = group.head_predicate == "predict/1";
  return std::string(text_of(group.neuron_class)) + " " +
         (is_query ? "predict/0" : group.head_predicate);
}

/// The values of all neurons of one class and head predicate, ordered.
std::map<std::string, std::vector<std::vector<double>>> values_by_group(const NeuronGraph& graph) {
  const Result<ReferenceValues> values = evaluate_reference(graph);
  if (!values) throw std::runtime_error(values.error().text());
  std::map<std::string, std::vector<std::vector<double>>> result;
  for (const NeuronRange& range : graph.ranges) {
    const NeuronGroup& group = graph.groups[range.group];
    auto& column = result[name_of(group)];
    for (std::uint32_t i = 0; i < range.count; ++i) {
      const std::span<const double> value = values->value(range.first + i);
      column.emplace_back(value.begin(), value.end());
    }
  }
  for (auto& [name, column] : result) std::sort(column.begin(), column.end());
  return result;
}

/// Counts by group and every neuron's value. Rounding may order two nearly equal vectors
/// differently, so the entries are compared one by one, each column sorted by itself.
void expect_same_neurons(const NeuronGraph& found, const NeuronGraph& expected) {
  EXPECT_EQ(found.neuron_count(), expected.neuron_count());
  EXPECT_EQ(found.edge_count(), expected.edge_count());
  const auto found_values = values_by_group(found);
  for (const auto& [name, column] : values_by_group(expected)) {
    const auto& other = found_values.at(name);
    ASSERT_EQ(other.size(), column.size()) << name;
    for (std::size_t entry = 0; entry < column.front().size(); ++entry) {
      std::vector<double> a;
      std::vector<double> b;
      for (std::size_t i = 0; i < column.size(); ++i) {
        ASSERT_EQ(other[i].size(), column[i].size()) << name;
        a.push_back(other[i][entry]);
        b.push_back(column[i][entry]);
      }
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-12) << name;
    }
  }
}

void check_against(const std::string& model, const std::string& golden) {
  if (!std::filesystem::exists(tables()) || !std::filesystem::exists(golden)) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << tables() << " or " << golden << " is missing";
    GTEST_SKIP() << tables() << " or " << golden << " is not there";
  }
  const Result<NeuronGraph> found = ground(tables(), model);
  ASSERT_TRUE(found) << found.error().text();
  const Result<NeuronGraph> expected = read_graph(golden);
  ASSERT_TRUE(expected) << expected.error().text();
  expect_same_neurons(*found, *expected);
  const auto active = [](const NeuronGraph& graph) {
    return std::accumulate(graph.target_values.begin(), graph.target_values.end(), 0.0);
  };
  EXPECT_EQ(found->samples.size(), expected->samples.size());
  EXPECT_EQ(active(*found), active(*expected));
}

TEST(Mutagenesis, simple_is_NeuraLogics_graph) {
  check_against("simple", environment("VECC_SOURCE_DIR") + "/datasets/mutagenesis.pb");
}

TEST(Mutagenesis, dims_is_NeuraLogics_graph) {
  check_against("dims", environment("VECC_BINARY_DIR") + "/golden/mutagenesis-dims.pb");
}

/// Water and carbon monoxide, whose second molecule comes first.
constexpr const char* kTwoMolecules =
    "CREATE TABLE drugs (id INTEGER PRIMARY KEY, logp REAL, active INTEGER);"
    "CREATE TABLE atoms (id INTEGER PRIMARY KEY, drug_id INTEGER, element TEXT, charge REAL);"
    "CREATE TABLE bonds (id INTEGER PRIMARY KEY, drug_id INTEGER, atom1_id INTEGER,"
    "                    atom2_id INTEGER, bond_type INTEGER);"
    "INSERT INTO drugs VALUES (10, 0.5, 1), (9, NULL, 0);"
    "INSERT INTO atoms VALUES (20, 10, 'o', 0), (21, 10, 'h', 0), (3, 9, 'c', 0), (22, 10, 'h', 0),"
    "                         (4, 9, 'o', 0);"
    "INSERT INTO bonds VALUES (0, 10, 20, 21, 1), (1, 9, 3, 4, 3), (2, 10, 22, 20, 1);";

TEST(Mutagenesis, categories_are_constants_of_templates_by_their_values) {
  const Result<NeuronGraph> graph =
      ground(make_database(test_folder(), "m.sqlite", kTwoMolecules), "dims");
  ASSERT_TRUE(graph) << graph.error().text();
  std::map<std::string, std::uint32_t> facts;
  for (const NeuronGroup& group : graph->groups) {
    if (group.neuron_class == NeuronClass::Fact) facts[group.head_predicate] += group.neuron_count;
  }
  const std::map<std::string, std::uint32_t> expected{{"c/1", 1},   {"o/1", 2},   {"h/1", 2},
                                                      {"b_1/1", 2}, {"b_3/1", 1}, {"bond/3", 6}};
  EXPECT_EQ(facts, expected);
  EXPECT_EQ(graph->samples.size(), 2u);
}

}  // namespace
}  // namespace vecc::test
