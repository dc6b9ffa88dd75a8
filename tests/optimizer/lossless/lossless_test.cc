// Every pass alone, -O1, -O2 and every preset of lift-gathers lose nothing: on vectorized random
// graphs, on random Programs (every op and form), and on the graphs of datasets/.
//
// VECC_FULL=1: more of each, NeuraLogic's golden graphs, and all settings on the large graphs too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "tests/optimizer/lossless/lossless_check.h"
#include "tests/program/random_program.h"
#include "tests/support/random_graph.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

const std::vector<NamedProgram>& graph_programs() {
  static const std::vector<NamedProgram> programs = [] {
    std::vector<NamedProgram> result;
    for (std::uint64_t seed = 1; seed <= case_count(400, 40); ++seed) {
      RandomGraphOptions options = random_options(seed);
      options.exact = seed % 4 == 0;  // full of equal rows
      result.push_back(
          vectorized("random graph " + std::to_string(seed), random_graph(options).graph));
    }
    return result;
  }();
  return programs;
}

const std::vector<NamedProgram>& random_programs() {
  static const std::vector<NamedProgram> programs = [] {
    std::vector<NamedProgram> result;
    for (std::uint64_t seed = 1; seed <= case_count(2000, 200); ++seed) {
      RandomSource random(seed);
      const std::uint32_t ops = 1 + static_cast<std::uint32_t>(seed % 30);
      const bool draws = seed % 3 == 0;
      result.push_back(
          {"random program " + std::to_string(seed),
           draws ? random_row_number_program(random, ops) : random_program(random, ops)});
    }
    return result;
  }();
  return programs;
}

// The .pb files of a folder below the one that the environment names.
std::vector<fs::path> graphs_in(const char* variable, const char* folder) {
  const char* root = std::getenv(variable);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(root ? root : ".") / folder)) {
    if (entry.path().extension() == ".pb") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

const std::vector<NamedProgram>& data_set_programs() {
  static const std::vector<NamedProgram> programs = [] {
    std::vector<fs::path> paths = graphs_in("VECC_SOURCE_DIR", "datasets");
    if (full_list()) {
      const std::vector<fs::path> golden = graphs_in("VECC_BINARY_DIR", "golden");
      VECC_CHECK(!golden.empty(), "the test convert_golden has run");
      paths.insert(paths.end(), golden.begin(), golden.end());
    }
    std::vector<NamedProgram> result;
    for (const fs::path& path : paths) {
      const auto graph = read_graph(path);
      VECC_CHECK(graph.has_value(), graph.error().text());
      result.push_back(vectorized(path.filename(), *graph));
    }
    return result;
  }();
  return programs;
}

class Lossless : public testing::TestWithParam<Setting> {};

TEST_P(Lossless, on_random_graphs) {
  for (const NamedProgram& program : graph_programs()) {
    EXPECT_EQ(check_lossless(program, GetParam()), "");
  }
}

TEST_P(Lossless, on_random_programs) {
  for (const NamedProgram& program : random_programs()) {
    EXPECT_EQ(check_lossless(program, GetParam()), "");
  }
}

TEST_P(Lossless, on_data_sets) {
  ASSERT_FALSE(data_set_programs().empty());
  for (const NamedProgram& program : data_set_programs()) {
    if (!is_in_sample(program, GetParam())) continue;
    EXPECT_EQ(check_lossless(program, GetParam()), "");
  }
}

std::string test_name(const testing::TestParamInfo<Setting>& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Optimizer, Lossless, testing::ValuesIn(all_settings()), test_name);

}  // namespace
}  // namespace vecc::test
