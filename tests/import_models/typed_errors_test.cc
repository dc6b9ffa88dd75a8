// rgcn, rgat and hgt: options that do not fit each other or the data.
#include <gmock/gmock.h>

#include "tests/import_models/typed_case.h"

namespace vecc::test {
namespace {

using tools::TypedGraph;
using tools::TypedOptions;

TEST(TypedErrors, Options) {
  const TypedGraph data = random_typed_graph({}, 1);
  EXPECT_EQ(typed_error("rgcn", data, with_dims({3})),
            "vecc-import: error: --dims: fewer than two numbers, expected the features' and one a "
            "layer [E050]");
  EXPECT_EQ(typed_error("rgcn", data, with_dims({3, 0})),
            "vecc-import: error: --dims: dimension 0, expected at least 1 [E050]");
  TypedOptions options = with_dims({3, 4, 6});
  options.heads = 4;
  EXPECT_EQ(typed_error("hgt", data, options),
            "vecc-import: error: --heads=4 does not divide 6, the dimensions of layer 2 [E050]");
  options.heads = 0;
  EXPECT_EQ(typed_error("rgat", data, options),
            "vecc-import: error: --heads=0, expected at least 1 [E050]");
  options.heads = 2;
  EXPECT_EQ(typed_error("rgcn", data, options),
            "vecc-import: error: --heads=2: rgcn has no attention heads [E050]");
  options = with_dims({3, 1});
  options.layer_norm = true;
  EXPECT_EQ(typed_error("hgt", data, options),
            "vecc-import: error: --norm=layer: layer 1 has dimension 1, which has no variance; "
            "expected at least 2 [E050]");
}

TEST(TypedErrors, OptionsAndData) {
  TypedGraphOptions graph_options;
  TypedOptions options = with_dims({3, 4});
  options.given_features = true;
  EXPECT_EQ(typed_error("rgcn", random_typed_graph(graph_options, 1), options),
            "vecc-import: error: --features=given: the data has no node features; try "
            "--features=embedding [E050]");
  graph_options.classes = 5;
  EXPECT_EQ(
      typed_error("rgat", random_typed_graph(graph_options, 1), with_dims({3, 4})),
      "vecc-import: error: --dims: the last layer has dimension 4, but the data has 5 classes "
      "[E050]");
}

TEST(TypedErrors, Data) {
  TypedGraph data = random_typed_graph({}, 1);
  data.node_type_names = {};
  for (const char* name : {"a", "b\n", "b\n"}) data.node_type_names.push_back(name);
  EXPECT_EQ(typed_error("hgt", data, with_dims({3, 4})),
            "random: error: two node types are named \"b\\n\" [E024]");
  TypedGraphOptions graph_options;
  graph_options.edges = 0;
  graph_options.relations = 0;
  EXPECT_EQ(typed_error("hgt", random_typed_graph(graph_options, 1), with_dims({3, 4})),
            "random: error: has no relations [E024]");
  EXPECT_EQ(typed_error("hgt", TypedGraph(), with_dims({3, 4})), "error: has no nodes [E024]");
  graph_options = {};
  graph_options.classes = 4;
  data = random_typed_graph(graph_options, 1);
  data.labels = {{0, 1, Split::Train}, {1, 1, Split::Train}, {0, 2, Split::Test}};
  EXPECT_EQ(typed_error("rgcn", data, with_dims({3, 4})),
            "random: error: labels of node \"node0\" are in two splits, expected one [E024]");
}

TEST(TypedErrors, Limits) {
  const TypedGraph data = random_typed_graph({}, 1);
  ImportLimits limits;
  limits.max_value_size = 11;
  EXPECT_EQ(typed_error("rgcn", data, with_dims({3, 4}), limits),
            "vecc-import: error: a weight of 4x3 has more than 11 elements [E044]");
  limits.max_value_size = 12;
  EXPECT_EQ(typed_error("rgcn", data, with_dims({3, 4}), limits), "no error");
  EXPECT_EQ(typed_error("hgt", data, with_dims({3, 4}), limits),
            "vecc-import: error: a weight of 4x4 has more than 12 elements [E044]");
  TypedGraphOptions with_features;
  with_features.feature_dims = {2, 5, 1};
  TypedOptions given = with_dims({3, 4});
  given.given_features = true;
  EXPECT_EQ(typed_error("rgcn", random_typed_graph(with_features, 1), given, limits),
            "vecc-import: error: a weight of 3x5 has more than 12 elements [E044]");
  limits = {};
  limits.max_weights = 7;
  EXPECT_EQ(typed_error("rgcn", data, with_dims({3, 4}), limits),
            "random: error: 8 relations and heads, the limit of weights is 7 [E043]");
  limits.max_weights = 10;
  EXPECT_THAT(typed_error("rgcn", data, with_dims({3, 4}), limits), testing::EndsWith("[E043]"));
  for (const char* model : {"rgcn", "rgat", "hgt"}) {
    limits = {};
    limits.max_neurons = 100;
    EXPECT_THAT(typed_error(model, data, with_dims({3, 4}), limits), testing::EndsWith("[E041]"));
    limits = {};
    limits.max_edges = 100;
    EXPECT_THAT(typed_error(model, data, with_dims({3, 4}), limits), testing::EndsWith("[E042]"));
  }
}

}  // namespace
}  // namespace vecc::test
