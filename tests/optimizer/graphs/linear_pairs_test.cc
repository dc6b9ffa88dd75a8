// dedup-linear-pairs on FB15k-237: 620,232 edges with their inverses, 161,922 distinct pairs of a
// source and a type. Where the data set is not there, the tests are skipped, in continuous
// integration they fail.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "tests/graph_io/temporary_folder.h"
#include "tools/import/ground/grounder.h"
#include "tools/import/load/loaders.h"
#include "tools/import/models/models.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kEdges = 620'232;
constexpr std::uint64_t kDistinct = 161'922;
constexpr std::uint64_t kEntities = 14'541;

std::string fb15k_folder() {
  const char* binary = std::getenv("VECC_BINARY_DIR");
  return std::string(binary ? binary : ".") + "/data/kg_FB15k-237";
}

#define NEED_FB15K()                                              \
  if (!std::filesystem::exists(fb15k_folder())) {                 \
    const char* ci = std::getenv("CI");                           \
    ASSERT_TRUE(ci == nullptr || std::string_view(ci) != "true"); \
    GTEST_SKIP() << fb15k_folder() << ": not there, not tested";  \
  }

Result<Program> fb15k_program(std::string_view model_name, std::uint32_t dim) {
  const TemporaryFolder folder;
  VECC_TRY(const tools::TypedGraph data, tools::load_triples(fb15k_folder()));
  tools::GrounderOptions options;
  options.path = folder.path("graph.pb");
  options.producer = "test";
  VECC_TRY(tools::Grounder out, tools::Grounder::create(std::move(options)));
  tools::TypedOptions typed;
  typed.dims = {dim, dim};
  for (const tools::TypedModel& model : tools::typed_models()) {
    if (model.name == model_name) VECC_TRY_VOID(model.ground(data, typed, out));
  }
  VECC_TRY_VOID(out.finish());
  VECC_TRY(const NeuronGraph graph, read_graph(folder.path("graph.pb")));
  VECC_TRY(Vectorized vectorized, vectorize(graph, {}));
  return std::move(vectorized.program);
}

// Rows of the linears whose left side has this shape.
std::uint64_t products_of_shape(const Program& program, Shape left) {
  std::uint64_t products = 0;
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Linear) continue;
    if (program.op(op.operands[0]).shape == left) products += op.rows;
  }
  return products;
}

Program without_repeated_pairs(const Program& program) {
  OptimizeOptions options;
  options.passes = {{"dedup-linear-pairs"}};
  options.verify_each = true;
  auto result = optimize(program, options);
  VECC_CHECK(result.has_value(), result.error().text());
  return *result;
}

// The self-loops' products are in the same linear.
TEST(LinearPairs, rgcn_of_fb15k_multiplies_each_source_and_type_once) {
  NEED_FB15K();
  const auto program = fb15k_program("rgcn", 64);
  ASSERT_TRUE(program.has_value()) << program.error().text();
  EXPECT_EQ(products_of_shape(*program, Shape(64, 64)), kEdges + kEntities);
  EXPECT_EQ(products_of_shape(without_repeated_pairs(*program), Shape(64, 64)),
            kDistinct + kEntities);
}

// Attention: a dot product for either end of an edge.
TEST(LinearPairs, rgat_of_fb15k_scores_each_end_and_type_once) {
  NEED_FB15K();
  const auto program = fb15k_program("rgat", 4);
  ASSERT_TRUE(program.has_value()) << program.error().text();
  EXPECT_EQ(products_of_shape(*program, Shape(1, 4)), 2 * kEdges);
  EXPECT_EQ(products_of_shape(without_repeated_pairs(*program), Shape(1, 4)), 2 * kDistinct);
}

}  // namespace
}  // namespace vecc::test
