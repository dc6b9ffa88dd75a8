// Every score of triples against plain loops, by the reference and as a vectorized Program.
#include <array>

#include "tests/import_models/score_formulas.h"
#include "tests/vectorize/vectorize_check.h"

namespace vecc::test {
namespace {

using tools::ScoreModel;
using tools::ScoreOptions;

struct ScoreCase {
  std::string_view model;
  std::uint32_t dim;
  std::uint32_t relation_dim;
  std::uint32_t p;
};

std::vector<ScoreCase> list_cases() {
  std::vector<ScoreCase> cases;
  for (const ScoreModel& model : tools::score_models()) {
    for (const std::uint32_t dim : {1u, 2u, 5u}) {
      cases.push_back({model.name, dim, 0, 1});
      if (model.name == "transe") cases.push_back({model.name, dim, 0, 2});
      if (model.name != "transr" && model.name != "tucker") continue;
      for (const std::uint32_t k : {1u, 3u, 7u}) cases.push_back({model.name, dim, k, 1});
    }
  }
  return cases;
}

std::string name_of(const testing::TestParamInfo<ScoreCase>& info) {
  const ScoreCase& c = info.param;
  return std::string(c.model) + "_dim" + std::to_string(c.dim) + "_k" +
         std::to_string(c.relation_dim) + "_p" + std::to_string(c.p);
}

// score(e3,r1,e5) or score(e3,r1,e5)~2 to its three numbers.
std::array<std::uint32_t, 3> triple_of(std::string_view id, const TypedGraph& data) {
  const auto entities = index_of(data.node_names);
  const auto relations = index_of(data.relation_names);
  const std::string text(id.substr(6, id.find(')') - 6));
  const std::size_t first = text.find(',');
  const std::size_t second = text.find(',', first + 1);
  return {entities.at(text.substr(0, first)),
          relations.at(text.substr(first + 1, second - first - 1)),
          entities.at(text.substr(second + 1))};
}

class ScoreValueTest : public testing::TestWithParam<ScoreCase> {};

TEST_P(ScoreValueTest, EqualsFormula) {
  const ScoreCase& c = GetParam();
  const TypedGraph data = random_knowledge_graph(9, 3, 40, 11);
  ScoreOptions options;
  options.dim = c.dim;
  options.relation_dim = c.relation_dim;
  options.p = c.p;
  options.negatives = 3;
  options.triples = std::nullopt;
  const ScoreModel* model = nullptr;
  for (const ScoreModel& m : tools::score_models()) {
    if (m.name == c.model) model = &m;
  }
  const auto graph =
      ground_to_graph([&](Grounder& out) { return model->ground(data, options, out); });
  ASSERT_TRUE(graph) << graph.error().text();
  const auto values = evaluate_reference(*graph);
  ASSERT_TRUE(values) << values.error().text();
  const ScoreFormula formula(*graph, c.model, c.p);
  ASSERT_EQ(graph->samples.size(), 160u);
  for (std::size_t s = 0; s < graph->samples.size(); ++s) {
    const NeuronId output = graph->samples[s].output;
    const auto [h, r, t] = triple_of(graph->sample_ids[s], data);
    const double expected = formula.score(h, r, t);
    EXPECT_TRUE(values->shapes[output].is_scalar());
    EXPECT_NEAR(values->value(output)[0], expected, 1e-12 * std::max(1.0, std::abs(expected)))
        << graph->sample_ids[s];
  }
  check_vectorize(*graph);
}

INSTANTIATE_TEST_SUITE_P(All, ScoreValueTest, testing::ValuesIn(list_cases()), name_of);

}  // namespace
}  // namespace vecc::test
