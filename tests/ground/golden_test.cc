// Graphs of vecc-ground against all of NeuraLogic's dumps, of two versions of it, and against the
// bridge's exports of PyNeuraLogic's networks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "tests/graph_io/temporary_folder.h"
#include "tests/ground/same_network.h"
#include "tools/ground/ground_files.h"

namespace vecc::test {
namespace {

std::string folder_of(const char* variable) {
  const char* const path = std::getenv(variable);
  return path == nullptr ? "" : path;
}

struct Dump {
  std::string name;
  std::string texts;    // NAME.t.txt, NAME.e.txt: golden_texts.py's
  std::string graph;    // NeuraLogic's network
  bool is_dump = true;  // else an export of the bridge
};

void PrintTo(const Dump& dump, std::ostream* out) {
  *out << dump.name;
}

void list_folder(const std::string& texts, const std::string& graphs, bool is_dump,
                 std::vector<Dump>& out) {
  constexpr std::string_view kSuffix = ".t.txt";
  if (texts.empty() || !std::filesystem::is_directory(texts)) return;
  for (const auto& file : std::filesystem::directory_iterator(texts)) {
    std::string name = file.path().filename().string();
    if (!name.ends_with(kSuffix)) continue;
    name.resize(name.size() - kSuffix.size());
    out.push_back({name, texts + "/" + name, graphs + "/" + name + ".pb", is_dump});
  }
}

std::vector<Dump> list_dumps() {
  std::vector<Dump> dumps;
  const std::string texts = folder_of("VECC_GOLDEN_TEXTS");
  list_folder(texts + "/golden", folder_of("VECC_GOLDEN_DIR"), true, dumps);
  list_folder(texts + "/python", folder_of("VECC_BRIDGE_DIR") + "/python", false, dumps);
  std::ranges::sort(dumps, {}, &Dump::name);
  return dumps;
}

class Dumps : public testing::TestWithParam<Dump> {};
// Without the dumps there is nothing to instantiate.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Dumps);

TEST_P(Dumps, AreTheNetworksOfTheirTemplates) {
  const Dump& dump = GetParam();
  const auto theirs = read_graph(dump.graph);
  ASSERT_TRUE(theirs) << theirs.error().text();
  const TemporaryFolder temporary;
  tools::ground::GroundOptions ground;
  ground.template_path = dump.texts + ".t.txt";
  ground.facts_path = dump.texts + ".e.txt";
  ground.output = temporary.path("graph.pb");
  ground.quiet = true;
  ground.keep_outputs = dump.is_dump;
  if (!dump.is_dump || dump.name.starts_with("micro-py_")) {  // PyNeuraLogic's settings
    ground.defaults.rule = ground.defaults.atom = Transformation::Identity;
    ground.double_rules = ground.double_facts = true;
  }
  tools::Stages stages(false);
  const Result<void> done = tools::ground::ground_files(ground, stages);
  ASSERT_TRUE(done) << done.error().text();
  auto ours = read_graph(ground.output);
  ASSERT_TRUE(ours) << ours.error().text();
  ASSERT_EQ(ours->sample_ids.size(), theirs->sample_ids.size());
  ours->sample_ids = theirs->sample_ids;  // the dumps number them otherwise
  const NetworkComparison comparison = compare_networks(std::move(*ours), *theirs, !dump.is_dump);
  EXPECT_EQ(comparison.difference, "");
  EXPECT_LE(comparison.largest, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Golden, Dumps, testing::ValuesIn(list_dumps()), [](const auto& test) {
  std::string name = test.param.is_dump ? test.param.name : "python_" + test.param.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace vecc::test
