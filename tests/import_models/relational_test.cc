// The relational templates over the real database: NeuraLogic's own graph, up to the order of
// neurons.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "tests/import_models/grounded_graph.h"
#include "tools/import/models/models.h"

namespace vecc::test {
namespace {

using tools::load_molecules;
using tools::molecule_models;
using tools::Molecules;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "." : value;
}

/// The template grounded over the tables, with the weights that NeuraLogic starts from.
Result<NeuronGraph> ground_tables(std::string_view model_name) {
  const std::string folder = environment("VECC_BINARY_DIR") + "/data/rel_mutagenesis188";
  VECC_TRY(const Molecules data, load_molecules(folder));
  return ground_to_graph(
      [&](Grounder& out) -> Result<void> {
        for (const auto& model : molecule_models()) {
          if (model.name == model_name) return model.ground(data, out);
        }
        throw std::logic_error("no such model");
      },
      {}, Initializer::Uniform, 0);
}

/// The values of all neurons of one class and head predicate, ordered.
std::map<std::string, std::vector<std::vector<double>>> values_by_group(const NeuronGraph& graph) {
  const Result<ReferenceValues> values = evaluate_reference(graph);
  if (!values) throw std::runtime_error(values.error().text());
  std::map<std::string, std::vector<std::vector<double>>> result;
  for (const NeuronRange& range : graph.ranges) {
    const NeuronGroup& group = graph.groups[range.group];
    auto& column = result[std::string(text_of(group.neuron_class)) + " " + group.head_predicate];
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
  EXPECT_EQ(count_neurons(found), count_neurons(expected));
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

void check_against(std::string_view model, const std::string& golden) {
  if (!std::filesystem::exists(environment("VECC_BINARY_DIR") + "/data/rel_mutagenesis188") ||
      !std::filesystem::exists(golden)) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "the tables or " << golden << " are missing";
    GTEST_SKIP() << "the tables or " << golden << " are not there";
  }
  const Result<NeuronGraph> found = ground_tables(model);
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

TEST(Relational, simple_is_NeuraLogics_graph) {
  check_against("simple", environment("VECC_SOURCE_DIR") + "/datasets/mutagenesis.pb");
}

TEST(Relational, dims_is_NeuraLogics_graph) {
  check_against("dims", environment("VECC_BINARY_DIR") + "/golden/mutagenesis-dims.pb");
}

Molecules two_atoms(const char* element, std::int64_t bond) {
  Molecules data;
  data.names.push_back("1");
  data.active = {true};
  data.atom_begin = {0, 2};
  data.element = {0, 0};
  data.elements.push_back(element);
  data.bond_begin = {0, 1};
  data.bond_first = {0};
  data.bond_second = {1};
  data.bond_type = {0};
  data.bond_types = {bond};
  return data;
}

std::string error_of(const Molecules& data) {
  const Result<NeuronGraph> graph =
      ground_to_graph([&](Grounder& out) { return molecule_models().front().ground(data, out); });
  return graph ? "" : graph.error().text();
}

TEST(Relational, bad_kinds_are_named) {
  EXPECT_EQ(error_of(two_atoms("c", 7)), "");
  EXPECT_EQ(error_of(two_atoms("zn", 7)),
            "atoms: error: element \"zn\"; the template has rules for c, o, br, i, f, h, n and cl "
            "[E024]");
  EXPECT_EQ(error_of(two_atoms("c", 6)),
            "bonds: error: bond_type 6; the template has rules for 1, 2, 3, 4, 5 and 7 [E024]");
}

}  // namespace
}  // namespace vecc::test
