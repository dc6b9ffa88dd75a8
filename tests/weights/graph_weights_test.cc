// A graph's weight tables to tensors and back, and every difference that is refused.
#include <gmock/gmock.h>

#include <limits>

#include "tests/support/graph_builder.h"
#include "tests/support/weight_bytes.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Learnable tables `scalars` (3), `column` (2 of 2x1), `row` (1x2) and `matrix` (2x2); `fixed`.
NeuronGraph graph_of(double first = 1) {
  GraphBuilder b;
  b.weight_table("scalars", 3, Shape(), {first, 2, 3});
  b.weight_table("column", 2, Shape::column(2), {1, 2, 3, 4});
  b.weight("row", Shape::row(2), {5, 6});
  b.weight("matrix", Shape(2, 2), {1, 2, 3, 4});
  b.weight("fixed", Shape(), {0.1}, /*learnable=*/false);
  return b.build();
}

WeightTensor floats(std::string name, std::vector<std::uint64_t> shape,
                    const std::vector<float>& values) {
  return {std::move(name), ElementType::F32, std::move(shape), bytes_as(values)};
}

WeightFile file_of(const NeuronGraph& graph) {
  auto file = weights_of(graph);
  EXPECT_TRUE(file) << file.error().text();
  return *file;
}

std::string load_error(const WeightFile& file, LoadMode mode = LoadMode::Strict,
                       std::uint64_t max_errors = 20) {
  NeuronGraph graph = graph_of(7);
  const auto loaded = load_weights(graph, file, mode, max_errors);
  EXPECT_EQ(graph.weight_tables[0].values.doubles(), std::vector<double>({7, 2, 3}));
  return loaded ? "no error" : loaded.error().text();
}

/// The error with one tensor in the place of the table of its name.
std::string replaced_error(WeightTensor tensor, LoadMode mode = LoadMode::Strict) {
  WeightFile file = file_of(graph_of(9));
  for (WeightTensor& old : file.tensors) {
    if (old.name == tensor.name) old = tensor;
  }
  return load_error(file, mode);
}

TEST(WeightsOfGraph, shapes_are_the_count_and_the_shape_of_one) {
  const WeightFile file = file_of(graph_of());
  ASSERT_EQ(file.tensors.size(), 5u);
  const auto shape = [&](std::size_t i) { return text_of_shape(file.tensors[i].shape); };
  EXPECT_EQ(shape(0), "[3]");
  EXPECT_EQ(shape(1), "[2, 2, 1]");
  EXPECT_EQ(shape(2), "[1, 1, 2]");
  EXPECT_EQ(shape(3), "[1, 2, 2]");
  EXPECT_EQ(shape(4), "[1]");
  GraphBuilder b;
  b.weight("one", Shape(1, 1), {1});
  EXPECT_EQ(file_of(b.build()).tensors[0].shape, std::vector<std::uint64_t>({1, 1, 1}));
}

TEST(WeightsOfGraph, are_floats_where_that_loses_nothing) {
  const WeightFile file = file_of(graph_of());
  EXPECT_EQ(file.tensors[1], floats("column", {2, 2, 1}, {1, 2, 3, 4}));
  EXPECT_EQ(file.tensors[4].type, ElementType::F64);
  EXPECT_THAT(values_of(file.tensors[4]), ElementsAre(0.1));
  for (const double wide : {1e300, -1e300, 1e-300, 16777217.0}) {
    EXPECT_EQ(file_of(graph_of(wide)).tensors[0].type, ElementType::F64) << wide;
  }
}

TEST(WeightsOfGraph, bad_tables_without_values) {
  GraphBuilder b;
  b.weight("a\n", Shape(), {});
  b.weight("b", Shape(), {1});
  b.weight("c", Shape(), {});
  EXPECT_EQ(weights_of(b.build()).error().text(),
            "weight table \"a\\n\": error: has no values [E023]\n"
            "weight table \"c\": error: has no values [E023]");
}

TEST(LoadWeights, gives_back_what_was_saved) {
  for (const double first : {0.25, -0.0, 0.1, 1e-310, 1e300}) {
    const NeuronGraph saved = graph_of(first);
    const std::string bytes = *safetensors_bytes(file_of(saved));
    NeuronGraph graph = graph_of();
    const auto report = load_weights(graph, *read_weights_bytes(bytes, "w"), LoadMode::Strict);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->loaded, 5u);
    for (std::size_t t = 0; t < 5; ++t) {
      EXPECT_EQ(bytes_as(graph.weight_tables[t].values.doubles()),
                bytes_as(saved.weight_tables[t].values.doubles()));
    }
  }
}

TEST(LoadWeights, fills_tables_without_values) {
  GraphBuilder b;
  b.weight("open", Shape::row(2), {});
  NeuronGraph graph = b.build();
  const auto report =
      load_weights(graph, {{}, {floats("open", {1, 1, 2}, {1, 2})}}, LoadMode::Strict);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_TRUE(graph.weight_tables[0].has_values);
  EXPECT_EQ(graph.weight_tables[0].values.doubles(), std::vector<double>({1, 2}));
}

TEST(LoadWeights, reads_every_float_type) {
  for (const ElementType type : {ElementType::F16, ElementType::BF16}) {
    const std::uint16_t one = type == ElementType::F16 ? 0x3C00 : 0x3F80;
    GraphBuilder b;
    b.weight("w", Shape(), {});
    NeuronGraph graph = b.build();
    const WeightTensor tensor{"w", type, {1}, bytes_as<std::uint16_t>({one})};
    ASSERT_TRUE(load_weights(graph, {{}, {tensor}}, LoadMode::Strict));
    EXPECT_EQ(graph.weight_tables[0].values.doubles(), std::vector<double>{1});
  }
}

TEST(LoadWeights, strict_lists_all_differences_up_to_the_limit) {
  const WeightFile file{{},
                        {floats("scalars", {3}, {1, 2, 3}), floats("other\x1b", {1}, {1}),
                         floats("column", {2, 2}, {1, 2, 3, 4})}};
  const std::string column =
      "weight table \"column\": error: has shape [2, 2] in the file, expected [2, 2, 1]: 2 of "
      "shape 2x1 [E027]\n";
  EXPECT_EQ(load_error(file), column +
                                  "weight table \"row\": error: is not in the file [E027]\n"
                                  "weight table \"matrix\": error: is not in the file [E027]\n"
                                  "tensor \"other\\x1b\": error: fits no weight table of the "
                                  "graph [E027]");
  EXPECT_EQ(load_error(file, LoadMode::Strict, 1), column + "... and 3 more errors");
}

TEST(LoadWeights, by_name_takes_what_is_in_both_and_lists_the_rest) {
  NeuronGraph graph = graph_of();
  const auto report = load_weights(
      graph, {{}, {floats("x", {1}, {1}), floats("row", {1, 1, 2}, {8, 9})}}, LoadMode::ByName);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->loaded, 1u);
  EXPECT_THAT(report->not_in_file, ElementsAre(0, 1, 3));  // not the fixed one
  EXPECT_THAT(report->unused, ElementsAre("x"));
  EXPECT_EQ(graph.weight_tables[0].values.doubles(), std::vector<double>({1, 2, 3}));
  EXPECT_EQ(graph.weight_tables[2].values.doubles(), std::vector<double>({8, 9}));
}

TEST(LoadWeights, by_name_refuses_another_shape) {
  EXPECT_EQ(load_error({{}, {floats("matrix", {2, 2}, {1, 2, 3, 4})}}, LoadMode::ByName),
            "weight table \"matrix\": error: has shape [2, 2] in the file, expected [1, 2, 2]: 1 "
            "of shape 2x2 [E027]");
}

TEST(LoadWeights, a_row_is_no_column_and_a_scalar_no_matrix) {
  EXPECT_EQ(replaced_error(floats("row", {1, 2, 1}, {5, 6})),
            "weight table \"row\": error: has shape [1, 2, 1] in the file, expected [1, 1, 2]: 1 "
            "of shape 1x2 [E027]");
  EXPECT_EQ(replaced_error(floats("scalars", {3, 1, 1}, {5, 6, 7})),
            "weight table \"scalars\": error: has shape [3, 1, 1] in the file, expected [3]: 3 of "
            "shape 1 [E027]");
}

TEST(LoadWeights, bad_types_and_numbers) {
  EXPECT_EQ(replaced_error({"row", ElementType::U8, {1, 1, 2}, "ab"}),
            "weight table \"row\": error: is U8 in the file, expected F16, BF16, F32 or F64 "
            "[E027]");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(replaced_error(floats("column", {2, 2, 1}, {1, 2, 3, -infinity})),
            "weight table \"column\", row 1: error: is -Infinity in the file, expected a finite "
            "number [E016]");
}

TEST(LoadWeights, a_fixed_table_does_not_change) {
  for (const LoadMode mode : {LoadMode::Strict, LoadMode::ByName}) {
    EXPECT_EQ(replaced_error(floats("fixed", {1}, {0.5}), mode),
              "weight table \"fixed\", row 0: error: is fixed at 0.10000000000000001 in the graph, "
              "and 0.5 in the file, expected the same [E027]");
  }
}

/// Two learnable embeddings whose rows have names.
NeuronGraph named_graph(std::vector<std::string> names) {
  GraphBuilder b;
  b.weight_table("embedding", 2, Shape(), {1, 2}, true, std::move(names));
  return b.build();
}

TEST(LoadWeights, rows_are_taken_by_name) {
  const WeightFile saved = file_of(named_graph({"ann", "bob"}));
  const std::string bytes = *safetensors_bytes(saved);
  NeuronGraph graph = named_graph({"bob", "ann"});
  const auto loaded = load_weights(graph, *read_weights_bytes(bytes, "w"), LoadMode::Strict);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_THAT(graph.weight_tables[0].values.doubles(), ElementsAre(2, 1));
  EXPECT_THAT(loaded->mapped, ElementsAre("rows of embedding"));
}

TEST(LoadWeights, rows_of_unknown_names_are_refused) {
  const WeightFile file = file_of(named_graph({"ann", "bob"}));
  NeuronGraph graph = named_graph({"an", "nbob"});
  const auto loaded = load_weights(graph, file, LoadMode::ByName);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().text(),
            "vocabulary \"rows of embedding\": error: the graph has 2 names: \"an\", \"nbob\"; the "
            "weights have 2 names: \"ann\", \"bob\": the weights know nothing of \"an\", \"nbob\", "
            "the graph lacks \"ann\", \"bob\"; import the graph with --like=TRAINED.pb, the graph "
            "that the weights are of [E027]");
}

TEST(LoadWeights, a_digest_alone_refuses_another_order) {
  WeightFile file = file_of(named_graph({"ann", "bob"}));
  std::erase_if(file.metadata, [](const auto& entry) { return entry.first == "vocabularies"; });
  for (const auto& names : {std::vector<std::string>{"bob", "ann"}, {"an", "nbob"}, {"ann", "b"}}) {
    NeuronGraph graph = named_graph(names);
    const auto loaded = load_weights(graph, file, LoadMode::ByName);
    ASSERT_FALSE(loaded) << names[0];
    EXPECT_EQ(loaded.error().text(),
              "weight table \"embedding\": error: has rows of other names, or in another order, "
              "than in the file [E027]");
  }
}

TEST(LoadWeights, rows_are_compared_only_where_both_have_names) {
  WeightFile file = file_of(named_graph({"ann", "bob"}));
  NeuronGraph same = named_graph({"ann", "bob"});
  EXPECT_TRUE(load_weights(same, file, LoadMode::Strict));
  NeuronGraph without = named_graph({});
  EXPECT_TRUE(load_weights(without, file, LoadMode::Strict));
  file.metadata.clear();
  NeuronGraph other = named_graph({"x", "y"});
  EXPECT_TRUE(load_weights(other, file, LoadMode::Strict));
}

TEST(LoadWeights, a_file_may_lack_fixed_tables) {
  WeightFile file = file_of(graph_of());
  file.tensors.pop_back();
  NeuronGraph graph = graph_of();
  const auto report = load_weights(graph, file, LoadMode::Strict);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->not_in_file, IsEmpty());
}

}  // namespace
}  // namespace vecc::test
