// One graph in a file: NumPy's arrays, lists of edges.
#include <gmock/gmock.h>

#include "src/weights/element_type.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/import_load/load_check.h"
#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {
namespace {

using test::errors_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

WeightTensor whole(const std::string& name, const std::vector<std::uint64_t>& shape,
                   const std::vector<std::int64_t>& values) {
  return {name, ElementType::I64, shape, weights::little_endian_bytes<std::int64_t>(values)};
}
WeightTensor real(const std::string& name, const std::vector<std::uint64_t>& shape,
                  const std::vector<double>& values) {
  return {name, ElementType::F64, shape, weights::little_endian_bytes<double>(values)};
}
WeightTensor mask(const std::string& name, const std::vector<std::uint8_t>& values) {
  return {
      name, ElementType::Bool, {values.size()}, weights::little_endian_bytes<std::uint8_t>(values)};
}

Result<GraphSet> read(std::vector<WeightTensor> arrays) {
  return graph_of_arrays({{}, std::move(arrays)}, "g", "g.npz");
}

// 0 -> 1 -> 2, and node 3.
const WeightTensor kPairs = whole("edge_index", {2, 2}, {0, 1, 1, 2});
const WeightTensor kX = real("x", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});

TEST(ImportGraph, arrays_of_a_graph) {
  const Result<GraphSet> set =
      read({kPairs, kX, whole("y", {4}, {7, 3, -1, 7}), mask("train_mask", {1, 0, 0, 0}),
            whole("idx_test", {2}, {1, 2}), real("edge_attr", {2, 1}, {0.5, 2}),
            whole("edge_type", {2}, {4, 2})});
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_TRUE(set->has_node_samples);
  EXPECT_THAT(set->node_begin, ElementsAre(0, 4));
  EXPECT_THAT(set->source, ElementsAre(0, 1));
  EXPECT_THAT(set->target, ElementsAre(1, 2));
  EXPECT_EQ(set->attribute_count, 2u);
  EXPECT_THAT(set->node_attributes, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(set->graph_label_values, ElementsAre(3, 7));
  EXPECT_THAT(set->node_classes, ElementsAre(1, 0, kUnknownLabel, 1));
  EXPECT_THAT(set->node_splits,
              ElementsAre(Split::Train, Split::Test, Split::Test, Split::Unspecified));
  EXPECT_THAT(set->edge_attributes, ElementsAre(0.5, 2));
  EXPECT_THAT(set->edge_labels, ElementsAre(1, 0));
  EXPECT_THAT(set->edge_label_values, ElementsAre(2, 4));
}

TEST(ImportGraph, ends_apart_and_compressed_rows) {
  const Result<GraphSet> apart =
      read({whole("src", {2}, {2, 0}), whole("dst", {2}, {1, 1}), whole("num_nodes", {}, {5})});
  ASSERT_TRUE(apart) << errors_of(apart);
  EXPECT_EQ(apart->node_count(), 5u);
  EXPECT_THAT(apart->source, ElementsAre(2, 0));
  EXPECT_THAT(apart->node_classes, IsEmpty());
  std::vector<WeightTensor> matrix{
      whole("adj_indptr", {4}, {0, 2, 2, 3}),  whole("adj_indices", {3}, {1, 2, 0}),
      whole("adj_shape", {2}, {3, 3}),         real("adj_data", {3}, {1, 1, 1}),
      whole("attr_indptr", {4}, {0, 1, 1, 2}), whole("attr_indices", {2}, {1, 0}),
      whole("attr_shape", {2}, {3, 2}),        real("attr_data", {2}, {4, 5}),
      whole("labels", {3}, {0, 1, 1})};
  const Result<GraphSet> set = read(matrix);
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_THAT(set->source, ElementsAre(0, 0, 2));
  EXPECT_THAT(set->target, ElementsAre(1, 2, 0));
  EXPECT_EQ(set->edge_attribute_count, 0u);  // all are 1
  EXPECT_THAT(set->node_attributes, ElementsAre(0, 4, 0, 0, 5, 0));
  matrix[3] = real("adj_data", {3}, {1, 2, 1});
  EXPECT_THAT(read(matrix)->edge_attributes, ElementsAre(1, 2, 1));
  matrix[1] = whole("adj_indices", {3}, {1, 2, 3});
  EXPECT_EQ(errors_of(read(matrix)),
            "g.npz: array \"adj_indptr\": error: does not fit adj_indices, "
            "adj_data and adj_shape [E024]");
}

TEST(ImportGraph, arrays_that_do_not_fit) {
  struct Case {
    std::vector<WeightTensor> arrays;
    std::string message;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases{
      {{kX}, "g.npz: error: has no edges: expected edge_index, src and dst, or adj_indptr [E024]"},
      {{whole("edge_index", {2, 1}, {0, -1})}, "\"edge_index\": error: has node -1, expected"},
      {{kX, whole("edge_index", {2, 1}, {0, 4})}, "an edge has node 4, but there are 4 nodes"},
      {{real("edge_index", {2, 1}, {0, 1})}, "is F64 [2, 1], expected whole numbers [2, edges]"},
      {{whole("edge_index", {4}, {0, 1, 1, 2})}, "is I64 [4], expected whole numbers [2, edges]"},
      {{whole("src", {2}, {0, 1})}, "\"dst\": error: is not there"},
      {{whole("src", {2}, {0, 1}), whole("dst", {1}, {0})}, "1 entries, but there are 2 sources"},
      {{kPairs, real("x", {3, 1}, {1, nan, 2})}, "row 1 has a number that is not finite [E016]"},
      {{kPairs, real("x", {1, 1, 3}, {1, 2, 3})}, "has shape [1, 1, 3], expected [n] or [n, k]"},
      {{kPairs, kX, whole("y", {3}, {1, 2, 3})}, "has 3 rows, but there are 4 nodes"},
      {{kPairs, kX, real("y", {4}, {1, 2, 3, 4})}, "is F64 [4], expected whole numbers"},
      {{kPairs, kX, whole("y", {4}, {0, 1, 0, 1}), mask("val_mask", {1})}, "has 1 rows"},
      {{kPairs, kX, whole("y", {4}, {0, 1, 0, 1}), whole("idx_train", {1}, {9})}, "has node 9"},
      {{kPairs, kX, whole("y", {4}, {0, 1, 0, 1}), whole("idx_train", {1}, {2}),
        whole("idx_val", {1}, {2})},
       "node 2 is in another split already"},
      {{kPairs, kX, real("edge_attr", {3, 1}, {1, 2, 3})}, "has 3 rows, but there are 2 edges"},
      {{kPairs, kX, real("pos", {4, 3}, std::vector<double>(12))}, "\"pos\": error: has no use"},
      {{whole("edge_index", {2, 1}, {0, 300'000'000})},
       "g.npz: error: an edge has node 300000000, expected numbers below 1048640 of 1 edge: every "
       "number up to the largest is a node; number them without gaps, or add num_nodes [E045]"},
      {{kPairs, whole("num_nodes", {}, {-1})}, "\"num_nodes\": error: is no whole number"},
      {{kPairs, whole("num_nodes", {}, {std::int64_t{1} << 40})}, "more nodes than 32 bits"},
  };
  for (const Case& c : cases) EXPECT_THAT(errors_of(read(c.arrays)), HasSubstr(c.message));
}

Result<GraphSet> read_lines(const std::string& edges, const std::optional<std::string>& labels) {
  EdgeListTexts texts{"g", {"g.txt", edges}, {}};
  if (labels) texts.labels = Text{"y.txt", *labels};
  return parse_edge_list(texts);
}

TEST(ImportGraph, lists_of_edges) {
  const Result<GraphSet> set =
      read_lines("# a comment\n0 2\n2,1\n%\n3;0\n", "0 5 train\n3 1 test\n1 5\n");
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_TRUE(set->has_node_samples);
  EXPECT_EQ(set->node_count(), 4u);
  EXPECT_THAT(set->source, ElementsAre(0, 2, 3));
  EXPECT_THAT(set->target, ElementsAre(2, 1, 0));
  EXPECT_THAT(set->node_classes, ElementsAre(1, 1, kUnknownLabel, 0));
  EXPECT_THAT(set->node_splits,
              ElementsAre(Split::Train, Split::Unspecified, Split::Unspecified, Split::Test));
  const Result<GraphSet> weighted = read_lines("0 1 0.5\n1\t0\t2e1\n", {});
  ASSERT_TRUE(weighted) << errors_of(weighted);
  EXPECT_THAT(weighted->edge_attributes, ElementsAre(0.5, 20));
  EXPECT_THAT(weighted->node_splits, IsEmpty());
}

// A few bytes do not make as many nodes as a number in them says.
TEST(ImportGraph, numbers_far_above_the_edges_are_stated) {
  const auto read_with = [](const std::string& edges, std::uint32_t nodes) {
    return parse_edge_list({"g", {"g.txt", edges}, {}, nodes});
  };
  EXPECT_EQ(
      errors_of(read_with("1 2\n0 300000000\n2 1\n", 0)),
      "g.txt: line 2: error: found node 300000000, expected numbers below 1048768 of 3 edges: "
      "every number up to the largest is a node; number them without gaps, or say "
      "--nodes=300000001 [E045]");
  EXPECT_EQ(read_with("0 1000000\n", 0)->node_count(), 1000001u);
  EXPECT_EQ(read_with("0 5000000\n", 5'000'001)->node_count(), 5000001u);
  EXPECT_EQ(read_with("0 1\n", 7)->node_count(), 7u);  // the last ones have no edges
  EXPECT_EQ(errors_of(read_with("0 1\n7 2\n0 3\n", 7)),
            "g.txt: line 2: error: found node 7, expected numbers from 0 to 6, as --nodes says "
            "[E012]");
}

TEST(ImportGraph, both_ways_and_once) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("g.txt");
  test::write_file(path, "0 1 5\n1 1 6\n1 0 7\n");
  const Result<GraphSet> set = load_graph(path, {.labels = {}, .undirected = true});
  ASSERT_TRUE(set) << errors_of(set);
  EXPECT_THAT(set->source, ElementsAre(0, 1, 1));
  EXPECT_THAT(set->target, ElementsAre(1, 1, 0));
  EXPECT_THAT(set->edge_attributes, ElementsAre(5, 6, 7));
  EXPECT_EQ(set->dropped_edges, 2u);
}

TEST(ImportGraph, lines_that_do_not_fit) {
  EXPECT_EQ(errors_of(read_lines("0 1\n0\n0 x\n-1 0\n0 1 2\n", {})),
            "g.txt: line 2: error: 1 column, expected 2, as the lines before [E024]\n"
            "g.txt: line 3: error: found \"x\", expected a node's number, from 0 [E024]\n"
            "g.txt: line 4: error: found \"-1\", expected a node's number, from 0 [E024]\n"
            "g.txt: line 5: error: 3 columns, expected 2, as the lines before [E024]");
  EXPECT_EQ(errors_of(read_lines("0 1 nan\n1 2 z\n", {})),
            "g.txt: line 1: error: found \"nan\", expected a finite number [E016]\n"
            "g.txt: line 2: error: found \"z\", expected a weight [E024]");
  EXPECT_EQ(errors_of(read_lines("0 1 2 3\n", {})),
            "g.txt: line 1: error: 4 columns, expected source target [weight] [E024]");
  EXPECT_EQ(errors_of(read_lines("0 1\n", "0 1\n2 1\n0 2\n1 -1\n1 1 dev\n1\n")),
            "y.txt: line 2: error: node 2, but g.txt has the nodes 0 to 1 [E012]\n"
            "y.txt: line 3: error: node 0 has a class already [E011]\n"
            "y.txt: line 4: error: found \"-1\", expected a class, from 0 [E024]\n"
            "y.txt: line 5: error: found \"dev\", expected train, validation or test [E024]\n"
            "y.txt: line 6: error: 1 column, expected node class [train|validation|test] [E024]");
}

}  // namespace
}  // namespace vecc::tools
