// Every function that NeuraLogic has is compared with its own numbers somewhere. (Of all functions,
// vecc's extensions among them, tests/function requires a case worked out by hand.)
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/agreement/test_files.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

struct FunctionsFound {
  std::set<Transformation> transformations;
  std::set<Combination> combinations;
};

/// Elements in a neuron's list: its inputs, and the offset if it has one.
std::uint64_t count_elements(const NeuronGraph& graph, const NeuronRange& range, NeuronId neuron) {
  const bool offset = range.offset_begin != kNoColumn &&
                      graph.offsets[range.offset_begin + (neuron - range.first)] != kNoWeight;
  return graph.input_begin[neuron + 1] - graph.input_begin[neuron] + (offset ? 1 : 0);
}

/// A combination that is skipped on one element does not count as seen there.
void collect_functions(const NeuronGraph& graph, FunctionsFound& found) {
  for (const NeuronRange& range : graph.ranges) {
    if (range.fact != FactKind::NotAFact) continue;
    const NeuronFunction& function = graph.functions[range.function];
    found.transformations.insert(function.transformation.id);
    for (NeuronId n = range.first; n < range.first + range.count; ++n) {
      if (count_elements(graph, range, n) > 1) found.combinations.insert(function.combination);
    }
  }
}

void expect_every_function(const FunctionsFound& found) {
  for (const TransformationInfo& transformation : transformations()) {
    if (transformation.origin != FunctionOrigin::NeuraLogic) continue;
    EXPECT_TRUE(found.transformations.contains(transformation.id))
        << "no graph has the transformation " << transformation.text;
  }
  for (const CombinationInfo& combination : combinations()) {
    EXPECT_TRUE(found.combinations.contains(combination.id))
        << "no graph has the combination " << combination.text;
  }
}

void collect_file(const std::string& path, FunctionsFound& found) {
  const auto graph = read_graph(path);
  ASSERT_TRUE(graph) << graph.error().text();
  collect_functions(*graph, found);
}

TEST(Coverage, DumpsHaveEveryFunctionOfNeuraLogic) {
  const auto files = list_golden_files();
  // In continuous integration, GoldenFiles.AreAllConverted fails then.
  if (files.empty()) GTEST_SKIP() << "no converted dumps in " << golden_folder();
  FunctionsFound found;
  for (const GoldenFile& file : files) collect_file(file.graph, found);
  expect_every_function(found);
}

TEST(Coverage, DatasetsHaveEveryFunctionOfNeuraLogic) {
  FunctionsFound found;
  for (const auto& entry : fs::directory_iterator(datasets_folder())) {
    if (entry.path().extension() == ".pb") collect_file(entry.path().string(), found);
  }
  expect_every_function(found);
}

}  // namespace
}  // namespace vecc::test
