// Every dump of NeuraLogic's values against the reference and every backend.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iostream>

#include "tests/agreement/agreement.h"
#include "tests/agreement/gradient_agreement.h"
#include "tests/agreement/known_differences.h"
#include "tests/agreement/known_gradient_differences.h"
#include "tests/agreement/test_files.h"
#include "vecc/backend.h"
#include "vecc/forward_batches.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {

void PrintTo(const GoldenFile& file, std::ostream* out) {
  *out << file.name;
}

namespace {

class Golden : public testing::TestWithParam<GoldenFile> {};
// Without the dumps there is nothing to instantiate; GoldenFiles says so.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Golden);

TEST_P(Golden, Agrees) {
  ExpectedValues expected = read_expected_values(GetParam().expected);
  ASSERT_FALSE(expected.neurons.empty());
  ASSERT_FALSE(expected.samples.empty());
  apply_known_differences(GetParam().name, expected);
  expect_agreement(GetParam().name, GetParam().graph, expected);
}

TEST_P(Golden, GradientsAgree) {
  const auto graph = read_graph(GetParam().graph);
  ASSERT_TRUE(graph) << graph.error().text();
  ExpectedGradients expected = read_expected_gradients(GetParam().gradients);
  ASSERT_FALSE(expected.samples.empty());
  apply_known_gradient_differences(GetParam().name, *graph, expected);
  const Agreement agreement = compare_gradients(*graph, expected);
  std::cout << format_line(GetParam().name, *graph, {agreement}) << std::endl;
  EXPECT_EQ(agreement.failure, "") << GetParam().name;
}

// Batches of samples have the bits of one run of all.
TEST_P(Golden, BatchesAreTheWhole) {
  const auto graph = read_graph(GetParam().graph);
  ASSERT_TRUE(graph) << graph.error().text();
  VectorizeOptions in_double;
  in_double.dtype = DType::F64;
  const auto vectorized = vectorize(*graph, in_double);
  ASSERT_TRUE(vectorized) << vectorized.error().text();
  const auto program = optimize(vectorized->program);
  ASSERT_TRUE(program) << program.error().text();
  const Backend& cpu = *find_backend("cpu");
  const auto whole = cpu.compile(*program, {});
  ASSERT_TRUE(whole && (*whole)->run());
  const auto expected = *(*whole)->outputs();
  auto batches = ForwardBatches::compile(*program, cpu, {}, {.batch_size = 3});
  ASSERT_TRUE(batches) << batches.error().text();
  const auto found = batches->outputs();
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->size(), expected.size());
  for (std::size_t s = 0; s < expected.size(); ++s) {
    EXPECT_EQ((*found)[s].shape, expected[s].shape);
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    EXPECT_TRUE(std::ranges::equal((*found)[s].value, expected[s].value, {}, bits, bits)) << s;
  }
}

INSTANTIATE_TEST_SUITE_P(Dumps, Golden, testing::ValuesIn(list_golden_files()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(GoldenFiles, AreAllConverted) {
  const std::size_t found = list_golden_files().size();
  if (found == 0 && !files_are_required()) {
    GTEST_SKIP() << "no converted dumps in " << golden_folder()
                 << " (tools/golden/convert.py --all ../shared/golden FOLDER)";
  }
  ASSERT_GT(found, 0) << "no converted dumps in " << golden_folder();
  if (const std::size_t dumps = count_dumps(); dumps > 0) {
    EXPECT_EQ(found, dumps);
  }
}

}  // namespace
}  // namespace vecc::test
