// Weights of a graph whose labels, relations and classes have other numbers than in the file.
#include <gmock/gmock.h>

#include "src/weights/vocabulary_text.h"
#include "tests/support/graph_builder.h"
#include "tests/support/weight_bytes.h"
#include "vecc/bind_facts.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using ::testing::ElementsAre;
using Names = std::vector<std::string>;
using Use = VocabularyUse;

Vocabulary vocabulary_of(std::string name, const Names& names, std::vector<Use> uses) {
  Vocabulary vocabulary{std::move(name), {}, std::move(uses)};
  for (const std::string& n : names) vocabulary.names.push_back(n);
  return vocabulary;
}

Use columns_of(const std::string& table) {
  return {Use::Place::Weights, Use::Axis::ValueColumn, table, 0, 1};
}

Use outputs() {
  return {Use::Place::Outputs, {}, {}, 0, 1};
}

Shape weight_shape(std::size_t rows, std::size_t columns) {
  if (rows * columns == 1) return Shape::scalar();
  return {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns)};
}

/// Facts x of one-hot labels, and a table w of 2 rows whose column i is names[i][0], -names[i][0].
NeuronGraph label_graph(const Names& names, std::uint32_t rows = 2) {
  GraphBuilder b;
  std::vector<double> values;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (const std::string& name : names) values.push_back(r == 0 ? name[0] : -name[0]);
  }
  b.weight("w", weight_shape(rows, names.size()), values);
  const GroupIndex facts = b.group("x", NeuronClass::Fact);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<double> one_hot(names.size());
    one_hot[i] = 1;
    b.fact(facts, Shape::column(static_cast<std::uint32_t>(names.size())), one_hot);
  }
  NeuronGraph graph = b.build();
  const std::uint64_t group = graph.groups[0].file_id;
  graph.vocabularies = {vocabulary_of(
      "label", names, {columns_of("w"), {Use::Place::Facts, Use::Axis::ValueRow, {}, group, 1}})};
  return graph;
}

WeightFile saved_file(const NeuronGraph& graph) {
  const auto file = weights_of(graph);
  EXPECT_TRUE(file) << file.error().text();
  return *read_weights_bytes(*safetensors_bytes(*file), "w");
}

std::string error_of(NeuronGraph graph, const WeightFile& file, LoadMode mode = LoadMode::Strict) {
  const NeuronGraph before = graph;
  const auto loaded = load_weights(graph, file, mode);
  for (std::size_t t = 0; t < graph.weight_tables.size(); ++t) {
    EXPECT_EQ(graph.weight_tables[t].values, before.weight_tables[t].values);
  }
  return loaded ? "no error" : loaded.error().text();
}

std::vector<double> loaded_values(NeuronGraph graph, const WeightFile& file) {
  for (WeightTable& table : graph.weight_tables) {
    table.values = SharedNumbers::repeated(table.values.size(), 0);
  }
  const auto loaded = load_weights(graph, file, LoadMode::Strict);
  EXPECT_TRUE(loaded) << loaded.error().text();
  return graph.weight_tables[0].values.doubles();
}

TEST(Vocabularies, columns_follow_their_names) {
  const WeightFile file = saved_file(label_graph({"0", "1", "3"}));
  for (const Names& names : {Names{"0", "1", "3"}, {"3", "0", "1"}, {"0", "3"}, {"3"}}) {
    for (const std::uint32_t rows : {2u, 1u}) {
      const WeightFile of_rows = rows == 2 ? file : saved_file(label_graph({"0", "1", "3"}, 1));
      const NeuronGraph graph = label_graph(names, rows);
      EXPECT_EQ(loaded_values(graph, of_rows), graph.weight_tables[0].values.doubles()) << names[0];
    }
  }
}

TEST(Vocabularies, unknown_names_are_refused_with_both_lists) {
  const WeightFile file = saved_file(label_graph({"0", "1", "3"}));
  for (const LoadMode mode : {LoadMode::Strict, LoadMode::ByName}) {
    EXPECT_EQ(
        error_of(label_graph({"0", "1", "2"}), file, mode),
        "vocabulary \"label\": error: the graph has 3 names: \"0\", \"1\", \"2\"; the weights "
        "have 3 names: \"0\", \"1\", \"3\": the weights know nothing of \"2\", the graph lacks "
        "\"3\"; import the graph with --like=TRAINED.pb, the graph that the weights are of "
        "[E027]");
  }
}

TEST(Vocabularies, long_lists_are_shortened) {
  Names names;
  for (int i = 0; i < 30; ++i) names.push_back("n" + std::to_string(i));
  const std::string error = error_of(label_graph(names), saved_file(label_graph({"0"})));
  EXPECT_NE(error.find("30 names: \"n0\", \"n1\", \"n2\", \"n3\", \"n4\", \"n5\", \"n6\", \"n7\", "
                       "\"n8\", \"n9\" and 20 more;"),
            std::string::npos)
      << error;
}

TEST(Vocabularies, files_and_graphs_without_load_by_shape) {
  WeightFile file = saved_file(label_graph({"0", "1", "3"}));
  NeuronGraph without = label_graph({"0", "1", "2"});
  without.vocabularies.clear();
  EXPECT_TRUE(load_weights(without, file, LoadMode::Strict));
  file.metadata.clear();
  NeuronGraph with = label_graph({"0", "1", "2"});
  EXPECT_TRUE(load_weights(with, file, LoadMode::Strict));
}

/// A table of relations, twice over (the inverse ones), each `heads` times.
NeuronGraph relation_graph(const Names& names, std::uint32_t heads) {
  GraphBuilder b;
  std::vector<double> values;
  for (const double direction : {0, 1000}) {
    for (const std::string& name : names) {
      for (std::uint32_t h = 0; h < heads; ++h) values.push_back(direction + name[0] + h * 0.5);
    }
  }
  const auto count = static_cast<std::uint32_t>(values.size());
  b.weight_table("w", count, Shape(), values);
  NeuronGraph graph = b.build();
  graph.vocabularies = {
      vocabulary_of("relation", names, {{Use::Place::Weights, Use::Axis::Entry, "w", 0, heads}})};
  return graph;
}

TEST(Vocabularies, entries_follow_in_blocks) {
  for (const std::uint32_t heads : {1u, 3u}) {
    const WeightFile file = saved_file(relation_graph({"a", "b", "c"}, heads));
    for (const Names& names : {Names{"c", "a", "b"}, {"b"}, {"c", "b"}}) {
      const NeuronGraph graph = relation_graph(names, heads);
      EXPECT_EQ(loaded_values(graph, file), graph.weight_tables[0].values.doubles()) << names[0];
    }
  }
}

NeuronGraph class_graph(const Names& names, bool binary) {
  GraphBuilder b;
  const std::size_t rows = binary ? 1 : names.size();
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) values.push_back(names[i][0]);
  b.weight("w", weight_shape(rows, 1), values);
  NeuronGraph graph = b.build();
  graph.vocabularies = {vocabulary_of("class", names, {outputs()})};
  if (!binary) {
    graph.vocabularies[0].uses.push_back({Use::Place::Weights, Use::Axis::ValueRow, "w", 0, 1});
  }
  return graph;
}

TEST(Vocabularies, classes_may_have_another_order_but_none_may_miss) {
  const WeightFile file = saved_file(class_graph({"a", "b", "c"}, false));
  EXPECT_THAT(loaded_values(class_graph({"c", "a", "b"}, false), file), ElementsAre('c', 'a', 'b'));
  EXPECT_NE(error_of(class_graph({"a", "b"}, false), file)
                .find(": the outputs are numbered by it, and need all of the names, the graph "
                      "lacks \"c\";"),
            std::string::npos);
}

TEST(Vocabularies, two_classes_of_one_output_have_to_be_the_same) {
  const WeightFile file = saved_file(class_graph({"0", "1"}, true));
  EXPECT_EQ(error_of(class_graph({"0", "1"}, true), file), "no error");
  EXPECT_NE(error_of(class_graph({"1", "0"}, true), file)
                .find(": no weight table that both have is numbered by it;"),
            std::string::npos);
  EXPECT_NE(error_of(class_graph({"-1", "1"}, true), file)
                .find(": the weights know nothing of \"-1\", the graph lacks \"0\";"),
            std::string::npos);
}

TEST(Vocabularies, facts_that_are_inputs_follow_too) {
  NeuronGraph saved = label_graph({"0", "1", "3"});
  NeuronGraph graph = label_graph({"3", "0", "1"});
  const std::string group = "x";
  const BoundFacts facts = *bind_facts(saved, std::span(&group, 1));
  WeightFile weights = saved_file(saved);
  const WeightFile values = take_facts(weights, facts);
  ASSERT_TRUE(bind_facts(graph, std::span(&group, 1)));
  const auto loaded = load_facts(graph, facts, values);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_THAT(graph.weight_tables[1].values.doubles(), ElementsAre(0, 1, 0, 0, 0, 1, 1, 0, 0));
}

TEST(Vocabularies, text_round_trips) {
  const std::vector<Vocabulary> given =
      weights::vocabularies_in_use(relation_graph({"\"\n", "\xC3\xA9"}, 2));
  const auto read = weights::parse_vocabularies(weights::text_of_vocabularies(given, 1 << 20));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().name, "relation");
  EXPECT_EQ(read->front().names.bytes, given[0].names.bytes);
  EXPECT_EQ(read->front().uses, given[0].uses);
}

TEST(Vocabularies, too_many_names_are_left_out) {
  const std::vector<Vocabulary> given{
      vocabulary_of("long", {std::string(1000, 'x')}, {columns_of("w")}),
      vocabulary_of("short", {"y"}, {columns_of("v")})};
  const auto read = weights::parse_vocabularies(weights::text_of_vocabularies(given, 500));
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].names.size(), 0u);
  EXPECT_EQ((*read)[0].uses, given[0].uses);
  EXPECT_EQ((*read)[1].names[0], "y");
}

TEST(Vocabularies, bad_texts_are_refused) {
  for (const std::string text :
       {"", "{", "{}", "[1]", "[{}]", R"([{"name":1,"uses":[]}])", R"([{"name":"a"}])",
        R"([{"name":"a","uses":[],"names":[]}])", R"([{"name":"a","uses":[],"names":["x","x"]}])",
        R"([{"name":"a","uses":[],"names":[1]}])", R"([{"name":"a","uses":[1]}])",
        R"([{"name":"a","uses":[{"weight_table":"w","axis":"rows","inner":0}]}])",
        R"([{"name":"a","uses":[{"weight_table":"w","axis":"rows","inner":-1}]}])",
        R"([{"name":"a","uses":[{"weight_table":"w","axis":"diagonal","inner":1}]}])",
        R"([{"name":"a","uses":[{"weight_table":"w","axis":"rows"}]}])"}) {
    EXPECT_FALSE(weights::parse_vocabularies(text)) << text;
    if (text.empty()) continue;
    WeightFile file = saved_file(label_graph({"0"}));
    file.metadata = {{"vocabularies", text}};
    EXPECT_EQ(error_of(label_graph({"0"}), file),
              "metadata \"vocabularies\": error: is no list of vocabularies (docs/weights.md) "
              "[E025]");
  }
}

TEST(Vocabularies, graphs_of_one_training_have_the_same) {
  const NeuronGraph trained = label_graph({"0", "1", "3"});
  EXPECT_TRUE(check_same_vocabularies(trained, label_graph({"0", "1", "3"})));
  const auto unknown = check_same_vocabularies(trained, label_graph({"0", "1", "2"}));
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("know nothing of \"2\""), std::string::npos);
  const auto fewer = check_same_vocabularies(trained, label_graph({"0", "3"}));
  ASSERT_FALSE(fewer);
  EXPECT_NE(fewer.error().text().find("has other names, or another order"), std::string::npos);
}

}  // namespace
}  // namespace vecc::test
