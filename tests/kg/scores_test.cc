// Scores of queries are those of the grounded graph that training computes, on both sides.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>

#include "src/kg/formula_file.h"
#include "src/kg/scorer.h"
#include "tests/import_models/grounded_graph.h"
#include "tests/import_models/knowledge_graph.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

struct ScoreCase {
  std::string_view model;
  std::uint32_t dim;
  std::uint32_t relation_dim;
  std::uint32_t p;
};

std::vector<ScoreCase> list_cases() {
  std::vector<ScoreCase> cases;
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    for (const std::uint32_t dim : {1u, 5u, 33u}) {
      cases.push_back({info.name, dim, 0, 1});
      if (info.name == "transe") cases.push_back({info.name, dim, 0, 2});
      if (info.name != "transr") continue;
      for (const std::uint32_t k : {1u, 18u}) cases.push_back({info.name, dim, k, 1});
    }
  }
  for (const std::uint32_t dim : {1u, 5u}) {
    for (const std::uint32_t k : {0u, 1u, 3u}) cases.push_back({"tucker", dim, k, 1});
  }
  return cases;
}

std::string name_of(const testing::TestParamInfo<ScoreCase>& info) {
  const ScoreCase& c = info.param;
  return std::string(c.model) + "_dim" + std::to_string(c.dim) + "_k" +
         std::to_string(c.relation_dim) + "_p" + std::to_string(c.p);
}

class QueryScores : public testing::TestWithParam<ScoreCase> {
 protected:
  static constexpr std::uint32_t kEntities = 21;

  void SetUp() override {
    const ScoreCase& c = GetParam();
    tools::ScoreOptions options;
    options.dim = c.dim;
    options.relation_dim = c.relation_dim;
    options.p = c.p;
    options.negatives = 2;
    options.triples = std::nullopt;
    data = random_knowledge_graph(kEntities, 3, 60, 5);
    for (const tools::ScoreModel& model : tools::score_models()) {
      if (model.name != c.model) continue;
      auto grounded =
          ground_to_graph([&](Grounder& out) { return model.ground(data, options, out); });
      ASSERT_TRUE(grounded) << grounded.error().text();
      graph = std::move(*grounded);
    }
    ASSERT_EQ(graph.samples.size(), 180u) << "vecc-import has the model";
    values = run_interpreter(graph);
  }

  // The interpreter's score of each sample, with its triple.
  [[nodiscard]] std::vector<std::pair<kg::Triple, double>> samples() const {
    const auto entities = index_of(data.node_names);
    const auto relations = index_of(data.relation_names);
    std::vector<std::pair<kg::Triple, double>> result;
    for (std::size_t s = 0; s < graph.samples.size(); ++s) {
      const std::string id(graph.sample_ids[s]);
      const std::string text = id.substr(6, id.find(')') - 6);
      const std::size_t first = text.find(',');
      const std::size_t second = text.find(',', first + 1);
      result.push_back({{entities.at(text.substr(0, first)),
                         relations.at(text.substr(first + 1, second - first - 1)),
                         entities.at(text.substr(second + 1))},
                        values[s].front()});
    }
    return result;
  }

  template <class T>
  void expect_scores(const kg::Embeddings& embeddings, double tolerance) {
    const kg::Scorer<T> scorer(embeddings, std::get<kg::EmbeddingTables<T>>(embeddings.tables));
    kg::QueryBatch<T> batch(scorer);
    const bool is_one_side = scorer.batch_kind() == kg::BatchKind::OneSide;
    for (const auto& [triple, expected] : samples()) {
      // The head's query second: both sides share a batch, where they can.
      const std::array<kg::Query, 2> queries{query_of(triple, kg::Side::Tail),
                                             query_of(triple, kg::Side::Head)};
      const std::array<std::uint32_t, 2> entities{triple.tail, triple.head};
      for (std::size_t first = 0; first < (is_one_side ? 2u : 1u); ++first) {
        const std::size_t count = is_one_side ? 1 : 2;
        expect_batch(batch, std::span(queries).subspan(first, count),
                     std::span(entities).subspan(first, count), expected, tolerance);
      }
    }
  }

  template <class T>
  static void expect_batch(kg::QueryBatch<T>& batch, std::span<const kg::Query> queries,
                           std::span<const std::uint32_t> entities, double expected,
                           double tolerance) {
    constexpr std::size_t kStride = 64;
    batch.set(queries);
    std::vector<T> scores(batch.rows() * kStride);
    batch.score(0, kEntities, scores.data(), kStride);
    constexpr std::array<std::uint32_t, 2> kRows{0, 1};
    std::array<T, 2> pairs{};
    batch.score_pairs(std::span(kRows).first(queries.size()), entities, pairs.data());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      EXPECT_NEAR(static_cast<double>(pairs[q]), expected,
                  tolerance * std::max(1.0, std::abs(expected)))
          << "query " << q;
      EXPECT_EQ(pairs[q], scores[q * kStride + entities[q]]);
    }
  }

  TypedGraph data;
  NeuronGraph graph;
  std::vector<std::vector<double>> values;
};

TEST_P(QueryScores, AreTheGraphs) {
  auto file = weights_of(graph);
  ASSERT_TRUE(file) << file.error().text();
  const bool is_tucker = GetParam().model == "tucker";
  const auto model = kg::parse_score_model(is_tucker ? "formula" : GetParam().model);
  ASSERT_TRUE(model);
  if (is_tucker) {
    const Result<void> named = kg::name_tucker(*file);
    ASSERT_TRUE(named) << named.error().text();
  }
  const auto wide = kg::read_embeddings(*file, *model, GetParam().p);
  ASSERT_TRUE(wide) << wide.error().text();
  EXPECT_EQ(wide->entity_names.size(), kEntities);
  EXPECT_EQ(wide->relation_names[2], "r2");
  expect_scores<double>(*wide, 1e-12);
  // The same weights as floats.
  for (WeightTensor& tensor : file->tensors) {
    std::string data32;
    for (const double value : values_of(tensor)) {
      const auto single = static_cast<float>(value);
      data32.append(reinterpret_cast<const char*>(&single), sizeof single);
    }
    tensor.type = ElementType::F32;
    tensor.data = data32;
  }
  const auto single = kg::read_embeddings(*file, *model, GetParam().p);
  ASSERT_TRUE(single) << single.error().text();
  expect_scores<float>(*single, 2e-5);
}

INSTANTIATE_TEST_SUITE_P(All, QueryScores, testing::ValuesIn(list_cases()), name_of);

}  // namespace
}  // namespace vecc::test
