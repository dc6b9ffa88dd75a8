// The interpreter's gradients of vectorized graphs against those of the reference, weight by
// weight: two derivations that share the functions' derivatives only.
#include <cmath>
#include <filesystem>

#include "tests/reference/gradient_check.h"
#include "tests/reference/program_gradient_check.h"
#include "tests/support/random_graph.h"
#include "tests/support/wide_graphs.h"
#include "vecc/graph_io.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSeeds = 300;
constexpr double kTolerance = 1e-9;

bool near(double found, double expected) {
  if (std::isnan(expected)) return std::isnan(found);
  return found == expected ||
         std::abs(found - expected) <= kTolerance * std::max(1.0, std::abs(expected));
}

std::vector<double> ones_of(const NeuronGraph& graph, const ReferenceValues& values) {
  std::size_t count = 0;
  for (const Sample& sample : graph.samples) count += values.shapes[sample.output].size();
  return std::vector<double>(count, 1.0);
}

void expect_reference_gradients(const NeuronGraph& graph, const std::string& what) {
  SCOPED_TRACE(what);
  const ReferenceValues values = evaluate_reference(graph).value();
  const std::vector<double> ones = ones_of(graph, values);
  const ReferenceGradients reference = differentiate_reference(graph, values, ones).value();
  VectorizeOptions options;
  options.dtype = DType::F64;
  const Program program = vectorize(graph, options).value().program;
  const auto gradients = program_gradients(program, ones);
  EXPECT_EQ(gradients, program_gradients(program, ones, /*keep_values=*/true));
  std::size_t learnable = 0;
  for (const WeightTable& table : graph.weight_tables) learnable += table.learnable ? 1 : 0;
  ASSERT_EQ(program.parameters().size(), learnable);
  for (ParameterIndex p = 0; p < gradients.size(); ++p) {
    const std::string& name = program.parameters()[p].name;
    const std::vector<double> expected = table_gradients(graph, reference, name);
    ASSERT_EQ(gradients[p].size(), expected.size()) << name;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(near(gradients[p][i], expected[i]))
          << name << " element " << i << ": " << gradients[p][i] << ", expected " << expected[i];
    }
  }
}

bool has_weight_values(const NeuronGraph& graph) {
  for (const WeightTable& table : graph.weight_tables) {
    if (!table.has_values) return false;
  }
  return !graph.weight_tables.empty();
}

TEST(ProgramAgreement, GradientsOfDatasets) {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  const fs::path folder = fs::path(source != nullptr ? source : ".") / "datasets";
  std::size_t compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".pb") continue;
    const auto graph = read_graph(entry.path().string());
    ASSERT_TRUE(graph) << graph.error().text();
    if (!has_weight_values(*graph)) continue;
    expect_reference_gradients(*graph, entry.path().filename().string());
    ++compared;
  }
  EXPECT_GE(compared, 4u);
}

TEST(ProgramAgreement, GradientsOfRandomGraphs) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const RandomGraph random = random_graph(random_options(seed));
    expect_reference_gradients(random.graph, "seed " + std::to_string(seed));
  }
}

TEST(ProgramAgreement, GradientsOfWideFunctions) {
  for (const WideFunction& function : kWideFunctions) {
    expect_reference_gradients(wide_function_graph(function, 90),
                               std::string(function.name) + " of " + function.members);
  }
}

// Full of ties: both pick the first.
TEST(ProgramAgreement, GradientsOfExactRandomGraphs) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomGraphOptions options = random_options(seed);
    options.exact = true;
    expect_reference_gradients(random_graph(options).graph, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace vecc::test
