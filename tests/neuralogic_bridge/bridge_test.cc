// Graphs that the bridge exported, against NeuraLogic's own value of every neuron, and its
// gradients.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "tests/agreement/agreement.h"
#include "tests/agreement/gradient_agreement.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

std::vector<std::string> list_exports() {
  const char* const folder = std::getenv("VECC_BRIDGE_DIR");
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder != nullptr ? folder : "", none)) {
    if (entry.path().extension() == ".pb") {
      names.push_back(std::filesystem::path(entry.path()).replace_extension().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

/// `text/xor`
std::string name_of(const std::string& path) {
  const std::filesystem::path file(path);
  return (file.parent_path().filename() / file.filename()).string();
}

class Bridge : public testing::TestWithParam<std::string> {};
// Without exports there is nothing to instantiate; BridgeExports fails then.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Bridge);

TEST_P(Bridge, AgreesWithNeuraLogic) {
  const ExpectedValues expected = read_expected_values(GetParam() + ".expected");
  ASSERT_FALSE(expected.neurons.empty());
  ASSERT_FALSE(expected.samples.empty());
  expect_agreement(name_of(GetParam()), GetParam() + ".pb", expected);
}

// Of a text, values and weights stand before the literals that name the neurons.
TEST_P(Bridge, HeadPredicatesHaveNoValues) {
  if (!name_of(GetParam()).starts_with("text/")) GTEST_SKIP() << "PyNeuraLogic's own names";
  const auto graph = read_graph(GetParam() + ".pb");
  ASSERT_TRUE(graph) << graph.error().text();
  for (const NeuronGroup& group : graph->groups) {
    EXPECT_THAT(group.head_predicate, testing::MatchesRegex("|[a-z][a-zA-Z0-9_-]*/[0-9]+"));
  }
}

TEST_P(Bridge, GradientsAgreeWithNeuraLogic) {
  const std::string gradients = GetParam() + ".gradients";
  if (!std::filesystem::exists(gradients)) GTEST_SKIP() << "no gradients exported";
  const auto graph = read_graph(GetParam() + ".pb");
  ASSERT_TRUE(graph) << graph.error().text();
  const ExpectedGradients expected = read_expected_gradients(gradients);
  ASSERT_FALSE(expected.samples.empty());
  const Agreement agreement = compare_gradients(*graph, expected);
  std::cout << format_line(name_of(GetParam()), *graph, {agreement}) << std::endl;
  EXPECT_EQ(agreement.failure, "");
}

INSTANTIATE_TEST_SUITE_P(Exports, Bridge, testing::ValuesIn(list_exports()), [](const auto& test) {
  std::string name = name_of(test.param);
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(BridgeExports, AreThere) {
  EXPECT_FALSE(list_exports().empty()) << "VECC_BRIDGE_DIR has no exported graph";
}

}  // namespace
}  // namespace vecc::test
