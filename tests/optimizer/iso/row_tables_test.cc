// Rows of real graphs after iso-compress, segment by segment: members read -> rows. The counts are
// those of colour refinement, which was run without vecc, but where sums re-associate: the last
// layer of these networks has no activation, so an average of its rows is one of first-layer rows.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "optimizer/passes/passes.h"
#include "tests/import_models/grounded_graph.h"
#include "tests/optimizer/iso/iso_check.h"
#include "tools/import/load/loaders.h"
#include "tools/import/models/models.h"

namespace vecc::test {
namespace {

using testing::ElementsAreArray;

struct Reduced {
  std::uint32_t members;
  std::uint32_t rows;
  bool operator==(const Reduced&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Reduced& reduced) {
  return out << reduced.members << " -> " << reduced.rows;
}

std::vector<Reduced> segments_of(const Program& program) {
  std::vector<Reduced> result;
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::Segment) {
      result.push_back({program.op(op.operands[0]).rows, op.rows});
    }
  }
  return result;
}

std::vector<Reduced> compressed_segments(const Result<NeuronGraph>& graph) {
  VECC_CHECK(graph.has_value(), graph ? "" : graph.error().text());
  auto vectorized = vectorize(*graph);
  VECC_CHECK(vectorized.has_value(), vectorized ? "" : vectorized.error().text());
  // As in the pipeline: how many rows are different is told by what they read.
  const OptimizeOptions options;
  const GatherPreset preset;
  opt::PassContext context(options, preset, PadMode::Never);
  opt::dedup_facts(vectorized->program, context);
  const IsoRun run = run_iso_compress(vectorized->program);
  EXPECT_EQ(run.counters.at("different rows that meet in the first field"), 0u);
  return segments_of(run.program);
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}
std::string data_folder(const std::string& name) {
  return environment("VECC_BINARY_DIR") + "/data/" + name;
}
#define NEED_DATA_SET(name)                                         \
  if (!std::filesystem::exists(data_folder(name))) {                \
    ASSERT_NE(environment("CI"), "true") << data_folder(name);      \
    GTEST_SKIP() << data_folder(name) << ": not there, not tested"; \
  }

struct GraphSetCase {
  const char* data;
  const char* model;
  std::vector<Reduced> segments;
};
void PrintTo(const GraphSetCase& c, std::ostream* out) {
  *out << c.data << " " << c.model;
}

class GraphSets : public testing::TestWithParam<GraphSetCase> {};

TEST_P(GraphSets, have_the_rows_of_colour_refinement) {
  NEED_DATA_SET(GetParam().data);
  const auto data = tools::load_tu(data_folder(GetParam().data));
  ASSERT_TRUE(data) << data.error().text();
  for (const tools::GraphSetModel& model : tools::graph_set_models()) {
    if (model.name != GetParam().model) continue;
    tools::GraphSetOptions options;
    options.layers = model.layers;
    const auto graph =
        ground_to_graph([&](Grounder& out) { return model.ground(*data, options, out); });
    EXPECT_THAT(compressed_segments(graph), ElementsAreArray(GetParam().segments));
  }
}

// Members -> rows of layer 1, of layer 2, of the average over each graph. GraphSAGE: average of
// neighbours and its sum with the node itself in both layers.
INSTANTIATE_TEST_SUITE_P(
    IsoRows, GraphSets,
    testing::Values(
        GraphSetCase{"tu_MUTAG", "gcn", {{48, 19}, {279, 117}, {1519, 90}}},
        GraphSetCase{"tu_ENZYMES", "gcn", {{606, 113}, {34957, 8013}, {19433, 595}}},
        GraphSetCase{"tu_PROTEINS", "gcn", {{967, 148}, {67086, 15140}, {43147, 1066}}},
        GraphSetCase{"tu_NCI1", "gcn", {{425, 150}, {5586, 1972}, {115421, 3896}}},
        GraphSetCase{"tu_MUTAG", "sage", {{39, 15}, {52, 26}, {274, 114}, {240, 120}, {1954, 116}}},
        GraphSetCase{"tu_ENZYMES",
                     "sage",
                     {{424, 77}, {320, 160}, {33317, 7617}, {15966, 7983}, {19160, 581}}},
        GraphSetCase{"tu_PROTEINS",
                     "sage",
                     {{628, 99}, {408, 204}, {63818, 14423}, {30520, 15260}, {41996, 1006}}},
        GraphSetCase{"tu_NCI1",
                     "sage",
                     {{356, 128}, {516, 258}, {6735, 2436}, {5158, 2579}, {117960, 3971}}}));

// Rules (bonds, of three members or four), averages over an atom's bonds, three times; molecules.
const std::vector<Reduced> kSimple{{117, 39},    {182, 67},   {882, 294}, {765, 280},
                                   {3642, 1214}, {2342, 859}, {4706, 182}};
const std::vector<Reduced> kDims{{156, 39},    {182, 67},   {1176, 294}, {765, 280},
                                 {4856, 1214}, {2342, 859}, {4706, 182}};

TEST(IsoRows, mutagenesis) {
  const auto graph = read_graph(environment("VECC_SOURCE_DIR") + "/datasets/mutagenesis.pb");
  EXPECT_THAT(compressed_segments(graph), ElementsAreArray(kSimple));
}

TEST(IsoRows, mutagenesis_dims) {
  const std::string golden = environment("VECC_BINARY_DIR") + "/golden/mutagenesis-dims.pb";
  if (!std::filesystem::exists(golden)) {
    ASSERT_NE(environment("CI"), "true") << golden;
    GTEST_SKIP() << golden << ": not there, not tested";
  }
  EXPECT_THAT(compressed_segments(read_graph(golden)), ElementsAreArray(kDims));
}

}  // namespace
}  // namespace vecc::test
