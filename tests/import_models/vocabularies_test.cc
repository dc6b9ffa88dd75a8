// What each kind of data and model says of its numbers, read back from the file.
#include <gmock/gmock.h>

#include "tests/import_models/knowledge_graph.h"
#include "tests/import_models/small_graph_set.h"
#include "tests/import_models/typed_case.h"

namespace vecc::test {
namespace {

using ::testing::UnorderedElementsAre;

std::string text_of_use(const VocabularyUse& use) {
  if (use.place == VocabularyUse::Place::Outputs) return "outputs";
  const char* const axes[] = {" entries", " rows", " columns"};
  std::string text =
      use.place == VocabularyUse::Place::Facts ? "facts" + std::to_string(use.group) : use.table;
  text += axes[static_cast<std::size_t>(use.axis)];
  return use.inner == 1 ? text : text + " " + std::to_string(use.inner);
}

std::vector<std::string> uses_of(const NeuronGraph& graph, std::string_view name) {
  const Vocabulary* const vocabulary = graph.find_vocabulary(name);
  if (vocabulary == nullptr) return {"none"};
  std::vector<std::string> uses;
  for (const VocabularyUse& use : vocabulary->uses) uses.push_back(text_of_use(use));
  return uses;
}

NeuronGraph ground_set(const std::string& model, std::uint32_t classes, bool one_hot) {
  const GraphSet data = random_graph_set(9, classes, 1);
  GraphSetOptions options;
  options.layers = 2;
  options.features = {one_hot ? GraphSetOptions::Features::OneHot
                              : GraphSetOptions::Features::Attributes};
  const auto graph = ground_to_graph([&](Grounder& out) -> Result<void> {
    for (const auto& m : tools::graph_set_models()) {
      if (m.name == model) return m.ground(data, options, out);
    }
    throw std::logic_error("no such model");
  });
  if (!graph) throw std::runtime_error(graph.error().text());
  return *graph;
}

TEST(VocabulariesOfModels, sets_of_graphs) {
  const std::map<std::string, std::vector<std::string>> first{
      {"gcn", {"h1.W columns", "facts0 rows"}},
      {"gin", {"h1.W1 columns", "facts0 rows"}},
      {"sage", {"h1.W_self columns", "h1.W_neighbours columns", "facts0 rows"}},
      {"gat", {"h1.W columns", "facts0 rows"}}};
  for (const auto& [model, uses] : first) {
    SCOPED_TRACE(model);
    const NeuronGraph graph = ground_set(model, 3, true);
    EXPECT_THAT(uses_of(graph, "node label"), ::testing::UnorderedElementsAreArray(uses));
    EXPECT_EQ(uses_of(ground_set(model, 3, false), "node label"), std::vector<std::string>{});
    ASSERT_NE(graph.classes(), nullptr);
    EXPECT_EQ(graph.classes()->size(), 3u);
  }
  EXPECT_THAT(uses_of(ground_set("gcn", 3, true), "class"),
              UnorderedElementsAre("predict.W rows", "outputs"));
  EXPECT_THAT(uses_of(ground_set("gin", 3, true), "class"),
              UnorderedElementsAre("predict.W1 rows", "predict.W2 rows", "outputs"));
  EXPECT_THAT(uses_of(ground_set("gcn", 2, true), "class"), UnorderedElementsAre("outputs"));
}

TEST(VocabulariesOfModels, typed_graphs) {
  TypedGraphOptions options;
  options.classes = 4;
  const auto data = random_typed_graph(options, 3);
  const NeuronGraph rgcn = ground_typed("rgcn", data, with_dims({4, 4}));
  EXPECT_THAT(uses_of(rgcn, "entity"), UnorderedElementsAre("e entries"));
  EXPECT_THAT(uses_of(rgcn, "relation"), UnorderedElementsAre("h1.W entries"));
  EXPECT_THAT(uses_of(rgcn, "class"), UnorderedElementsAre("outputs"));
  EXPECT_EQ(uses_of(rgcn, "node type"), std::vector<std::string>{});
  EXPECT_EQ(rgcn.find_vocabulary("relation")->names.bytes, data.relation_names.bytes);
  EXPECT_EQ(rgcn.classes()->bytes, data.label_names.bytes);
  tools::TypedOptions heads = with_dims({4, 4});
  heads.heads = 2;
  const NeuronGraph hgt = ground_typed("hgt", data, heads);
  EXPECT_THAT(uses_of(hgt, "relation"),
              UnorderedElementsAre("h1.A entries 2", "h1.M entries 2", "h1.p entries 2"));
  EXPECT_THAT(uses_of(hgt, "node type"), ::testing::Contains("h1.K entries"));
  EXPECT_EQ(hgt.find_vocabulary("node type")->names.size(), 3u);
}

TEST(VocabulariesOfModels, scores_and_recursion) {
  const TypedGraph data = random_knowledge_graph(6, 3, 12, 1);
  const auto ground = [&](std::string_view name) {
    return *ground_to_graph([&](Grounder& out) -> Result<void> {
      for (const auto& model : tools::score_models()) {
        if (model.name == name) return model.ground(data, {.dim = 2}, out);
      }
      tools::ReachOptions reach;
      reach.sources = {"e0"};
      return ground_reach(data, reach, out);
    });
  };
  EXPECT_THAT(uses_of(ground("complex"), "entity"),
              UnorderedElementsAre("e_re entries", "e_im entries"));
  EXPECT_THAT(uses_of(ground("transr"), "relation"),
              UnorderedElementsAre("r entries", "M entries"));
  EXPECT_THAT(uses_of(ground("reach"), "relation"), UnorderedElementsAre("reach.w entries"));
  EXPECT_EQ(uses_of(ground("reach"), "entity"), std::vector<std::string>{});
}

}  // namespace
}  // namespace vecc::test
