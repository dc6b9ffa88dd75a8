// Graphs that are bound and run take no compiler: there is none when they are.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/graph_subset.h"
#include "vecc/graph_io.h"
#include "vecc/template.h"

namespace vecc::test {
namespace {

std::vector<NeuronGraph> molecules() {
  const std::string folder = std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/";
  const NeuronGraph graph = *read_graph(folder + "mutagenesis.pb");
  std::vector<NeuronGraph> result;
  for (std::uint32_t s = 0; s < graph.samples.size(); ++s) {
    result.push_back(graph_of_samples(graph, std::span(&s, 1)));
  }
  return result;
}

std::unique_ptr<TemplateProgram> program_of(bool interprets) {
  const std::string folder = std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/";
  TemplateCompileOptions options;
  options.threads = 1;
  options.interprets = interprets;
  return *Template::of(*read_graph(folder + "mutagenesis.pb"))->compile(options);
}

TEST(BoundWithoutCompiler, no_compiler_runs) {
  const std::vector<NeuronGraph> graphs = molecules();
  const auto program = program_of(/*interprets=*/false);
  const char* const before = std::getenv("VECC_CXX");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("VECC_CXX", "/nonexistent/compiler", 1);
  BoundGraph bound;
  for (const NeuronGraph& graph : graphs) {
    EXPECT_TRUE(program->bind(graph, bound));
    ASSERT_TRUE(program->run(bound));
  }
  EXPECT_EQ(program->counts().interpreted, 0u);
  before == nullptr ? ::unsetenv("VECC_CXX") : ::setenv("VECC_CXX", kept.c_str(), 1);
}

}  // namespace
}  // namespace vecc::test
