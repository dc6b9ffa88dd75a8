// The best answers of queries, and the nearest entities.
#include "src/kg/answers.h"

#include <gmock/gmock.h>

#include "tests/kg/random_embeddings.h"

namespace vecc::test {
namespace {

using kg::Query;
using kg::ScoreModel;
using kg::Side;

// Entities on a line at 0, 1, 2, ...; relation 0 goes one further, relation 1 two back.
kg::Embeddings line(std::uint32_t entities) {
  kg::Embeddings e = whole_embeddings<float>(ScoreModel::TransE, entities, 2, 1, 1);
  auto& tables = std::get<kg::EmbeddingTables<float>>(e.tables);
  for (std::uint32_t i = 0; i < entities; ++i) tables.entities[i] = static_cast<float>(i);
  tables.relations = {1, -2};
  return e;
}

std::vector<std::uint32_t> entities_of(const std::vector<kg::Answer>& answers) {
  std::vector<std::uint32_t> entities;
  for (const kg::Answer& answer : answers) entities.push_back(answer.entity);
  return entities;
}

TEST(Answers, AreTheBestFirstAndEqualOnesByNumber) {
  const kg::Embeddings e = line(10000);
  const std::vector<Query> queries{
      {0, Side::Tail, 5000}, {1, Side::Head, 9999}, {0, Side::Head, 1}, {1, Side::Tail, 2}};
  const kg::KnownTriples known(std::vector<kg::Triple>{{5000, 0, 5002}, {0, 0, 1}});
  kg::AnswerOptions options;
  options.top = 4;
  auto answers = kg::answer_queries(e, queries, known, options);
  EXPECT_THAT(entities_of(answers[0]), testing::ElementsAre(5001, 5000, 5002, 4999));
  EXPECT_THAT(entities_of(answers[1]), testing::ElementsAre(9999, 9998, 9997, 9996));
  EXPECT_THAT(entities_of(answers[2]), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(entities_of(answers[3]), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(answers[0][1].score, -1);
  EXPECT_TRUE(answers[0][2].known);
  EXPECT_FALSE(answers[0][1].known);
  options.drop_known = true;
  answers = kg::answer_queries(e, queries, known, options);
  EXPECT_THAT(entities_of(answers[0]), testing::ElementsAre(5001, 5000, 4999, 5003));
  EXPECT_THAT(entities_of(answers[2]), testing::ElementsAre(1, 2, 3, 4));
}

// Of heads the relation's inverse is scored; what is known is as it was asked.
TEST(Answers, ForHeadsAreThoseOfTheInverse) {
  const kg::Embeddings e = line(100);
  const std::vector<Query> queries{{0, Side::Head, 50}, {0, Side::Tail, 50}};
  const kg::KnownTriples known(std::vector<kg::Triple>{{48, 0, 50}});
  kg::AnswerOptions options;
  options.top = 2;
  EXPECT_THAT(entities_of(kg::answer_queries(e, queries, known, options)[0]),
              testing::ElementsAre(49, 48));
  options.inverse = {1, 0};
  const auto answers = kg::answer_queries(e, queries, known, options);
  EXPECT_THAT(entities_of(answers[0]), testing::ElementsAre(48, 47));
  EXPECT_TRUE(answers[0][0].known);
  EXPECT_THAT(entities_of(answers[1]), testing::ElementsAre(51, 50));
}

TEST(Answers, OfMoreThanThereAreAreAll) {
  const kg::Embeddings e = line(3);
  kg::AnswerOptions options;
  options.top = 100;
  const std::vector<Query> queries{{0, Side::Tail, 0}};
  const auto answers = kg::answer_queries(e, queries, kg::KnownTriples({}), options);
  EXPECT_THAT(entities_of(answers[0]), testing::ElementsAre(1, 0, 2));
}

TEST(Answers, ProjectingModelsAnswerEachRelationByItsOwn) {
  const kg::Embeddings e = whole_embeddings<double>(ScoreModel::TransR, 50, 6, 4, 2);
  std::vector<Query> queries;
  for (std::uint32_t i = 0; i < 40; ++i) {
    queries.push_back({i % 6, i % 2 == 0 ? Side::Head : Side::Tail, i});
  }
  kg::AnswerOptions options;
  const kg::KnownTriples none({});
  const auto together = kg::answer_queries(e, queries, none, options);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const auto alone = kg::answer_queries(e, {&queries[q], 1}, none, options);
    EXPECT_EQ(entities_of(together[q]), entities_of(alone[0])) << q;
  }
}

TEST(Nearest, ByDistanceAndByAngle) {
  kg::Embeddings e = whole_embeddings<float>(ScoreModel::TransE, 5, 1, 2, 1);
  std::get<kg::EmbeddingTables<float>>(e.tables).entities = {1, 0, 10, 0, 0, 1, 2, 1, 0, 0};
  const auto numbers = [&](kg::NearnessKind kind) {
    std::vector<std::uint32_t> found;
    for (const auto& near : kg::nearest_entities(e, 0, kind, 3)) found.push_back(near.entity);
    return found;
  };
  EXPECT_THAT(numbers(kg::NearnessKind::Cosine), testing::ElementsAre(1, 3, 2));
  EXPECT_THAT(numbers(kg::NearnessKind::Euclidean), testing::ElementsAre(4, 2, 3));
  EXPECT_EQ(kg::nearest_entities(e, 0, kg::NearnessKind::Cosine, 1)[0].nearness, 1);
}

}  // namespace
}  // namespace vecc::test
