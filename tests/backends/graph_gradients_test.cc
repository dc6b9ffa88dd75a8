// Gradients of whole graphs against the interpreter's, which tests/reference compares with
// the reference's, weight by weight.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"
#include "tests/support/random_graph.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeeds = 150;

void expect_graph_agreement(NeuronGraph graph, const std::string& what) {
  SCOPED_TRACE(what);
  initialize_weights(graph, Initializer::Uniform, 1);  // where the file has none
  VectorizeOptions options;
  options.dtype = DType::F64;
  const auto vectorized = vectorize(graph, options);
  ASSERT_TRUE(vectorized) << vectorized.error().text();
  expect_gradient_agreement(vectorized->program);
}

TEST(GraphGradients, Datasets) {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  const fs::path folder = fs::path(source != nullptr ? source : ".") / "datasets";
  std::size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".pb") continue;
    auto graph = read_graph(entry.path().string());
    ASSERT_TRUE(graph) << graph.error().text();
    expect_graph_agreement(std::move(*graph), entry.path().filename().string());
    ++compared;
  }
  EXPECT_GE(compared, 6u);
}

TEST(GraphGradients, RandomGraphs) {
  for (std::uint64_t seed = 0; seed < seeds_of(kSeeds); ++seed) {
    expect_graph_agreement(random_graph(random_options(seed)).graph,
                           "seed " + std::to_string(seed));
  }
}

// Full of ties: both pick the first.
TEST(GraphGradients, ExactRandomGraphs) {
  for (std::uint64_t seed = 0; seed < seeds_of(kSeeds); ++seed) {
    RandomGraphOptions options = random_options(seed);
    options.exact = true;
    expect_graph_agreement(random_graph(options).graph, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace vecc::test
