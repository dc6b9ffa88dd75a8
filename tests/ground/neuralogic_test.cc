// Graphs of vecc-ground against what NeuraLogic makes of the same files: the bridge's exports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/graph_io/temporary_folder.h"
#include "tests/ground/same_network.h"
#include "tools/ground/ground_files.h"

namespace vecc::test {
namespace {

// A transformation of the 1 that these make of one value.
const std::set<std::string> kRefused = {"softmax_of_one", "softmax_comb_of_one_tanh",
                                        "sparsemax_comb_of_one_tanh"};
const std::set<std::string> kCyclic = {"molecules_cycle"};

struct Case {
  std::string name;
  std::map<std::string, std::string> options;  // NeuraLogic's
};

std::string folder() {
  const char* const path = std::getenv("VECC_BRIDGE_DIR");
  return path == nullptr ? "" : std::string(path) + "/text/";
}

// `export <tab> -t <tab> FILE ...`, a line a case.
std::vector<Case> list_cases() {
  std::vector<Case> cases;
  std::ifstream file(folder() + "cases.tsv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Case found;
    std::string option;
    while (std::getline(words, option, '\t')) {
      if (!option.starts_with('-') || option == "--quiet") continue;
      std::getline(words, found.options[option], '\t');
    }
    if (found.options.contains("-sd")) {
      const std::string data = found.options["-sd"] + "/";
      found.options["-t"] = data + "template.txt";
      found.options["-e"] = data + "examples.txt";
      found.options["-q"] = data + "queries.txt";
    }
    found.name = std::filesystem::path(found.options["-o"]).stem().string();
    cases.push_back(std::move(found));
  }
  return cases;
}

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class NeuraLogic : public testing::TestWithParam<Case> {};
// Without exports there is nothing to instantiate.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NeuraLogic);

// NeuraLogic's -lim takes some samples, in no order: the lines that its graph has.
std::vector<std::size_t> sampled_lines(const NeuronGraph& graph) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < graph.sample_ids.size(); ++i) {
    lines.push_back(std::stoul(std::string(graph.sample_ids[i].substr(2))));  // "s_107:predict"
  }
  std::ranges::sort(lines);
  return lines;
}

void copy_lines(const std::string& path, const std::vector<std::size_t>& lines,
                const std::string& copy) {
  std::ifstream in(path);
  std::ofstream out(copy);
  std::string line;
  for (std::size_t i = 0; std::getline(in, line); ++i) {
    if (std::ranges::binary_search(lines, i)) out << line << "\n";
  }
}

void rename_samples(NeuronGraph& graph, const std::vector<std::size_t>& lines) {
  StringColumn ids;
  for (std::size_t i = 0; i < graph.sample_ids.size(); ++i) {
    const std::string_view id = graph.sample_ids[i];
    ids.push_back("s_" + std::to_string(lines.at(i)) + std::string(id.substr(id.find(':'))));
  }
  graph.sample_ids = std::move(ids);
}

std::map<std::string, std::uint64_t> count_groups(const NeuronGraph& graph) {
  std::map<std::string, std::uint64_t> counts;
  for (const NeuronGroup& group : graph.groups) {
    counts[std::string(text_of(group.neuron_class)) + " " + group.head_predicate] +=
        group.neuron_count;
  }
  return counts;
}

TEST_P(NeuraLogic, MakesTheSameNetwork) {
  std::map<std::string, std::string> options = GetParam().options;
  const auto theirs = read_graph(options["-o"]);
  ASSERT_TRUE(theirs) << theirs.error().text();
  const TemporaryFolder temporary;
  std::vector<std::size_t> lines;
  if (options.contains("-lim")) {
    lines = sampled_lines(*theirs);
    for (const char* const file : {"-e", "-q"}) {
      const std::string copy = temporary.path(std::string(file + 1) + ".txt");
      copy_lines(options[file], lines, copy);
      options[file] = copy;
    }
  }
  tools::ground::GroundOptions ground;
  ground.template_path = options["-t"];
  ground.facts_path = options["-e"];
  ground.queries_path = options["-q"];
  ground.output = temporary.path("graph.pb");
  ground.quiet = true;
  tools::Stages stages(false);
  const Result<void> done = tools::ground::ground_files(ground, stages);
  if (kRefused.contains(GetParam().name)) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().list().front().code, ErrorCode::FunctionDomain) << done.error().text();
    return;
  }
  ASSERT_TRUE(done) << done.error().text();
  auto ours = read_graph(ground.output);
  ASSERT_TRUE(ours) << ours.error().text();
  if (!lines.empty()) rename_samples(*ours, lines);
  if (kCyclic.contains(GetParam().name)) {
    // Which edges are cut depends on the order of a hash table there.
    EXPECT_EQ(count_groups(*ours), count_groups(*theirs));
    return;
  }
  const NetworkComparison comparison = compare_networks(std::move(*ours), *theirs);
  EXPECT_EQ(comparison.difference, "");
  EXPECT_LE(comparison.largest, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Exports, NeuraLogic, testing::ValuesIn(list_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vecc::test
