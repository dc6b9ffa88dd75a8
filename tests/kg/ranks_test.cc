// Ranks against plain counting, and what the literature makes of them.
#include "src/kg/ranks.h"

#include <gmock/gmock.h>

#include "src/kg/evaluation.h"
#include "src/kg/scorer.h"
#include "tests/kg/random_embeddings.h"

namespace vecc::test {
namespace {

using kg::Rank;
using kg::RelationKind;
using kg::ScoreModel;
using kg::Side;
using kg::Triple;

// Each query by itself.
template <class T>
std::vector<T> score_one(const kg::Embeddings& e, const kg::Query& query) {
  const kg::Scorer<T> scorer(e, std::get<kg::EmbeddingTables<T>>(e.tables));
  kg::QueryBatch<T> batch(scorer);
  batch.set({&query, 1});
  const std::size_t stride = e.entities + kg::kPanelLanes<T>;
  std::vector<T> scores(batch.rows() * stride);
  batch.score(0, e.entities, scores.data(), stride);
  scores.resize(e.entities);
  return scores;
}

// PyKEEN's: the mean of the best and the worst place.
template <class T>
double count_rank(const std::vector<T>& scores, std::uint32_t own,
                  const std::vector<bool>& counts) {
  double best = 1;
  double worst = 0;
  for (std::uint32_t i = 0; i < scores.size(); ++i) {
    if (!counts[i] && i != own) continue;
    best += scores[i] > scores[own] ? 1 : 0;
    worst += scores[i] >= scores[own] ? 1 : 0;
  }
  return (best + worst) / 2;
}

template <class T>
std::vector<Rank> count_ranks(const kg::Embeddings& e, const std::vector<Triple>& triples,
                              const std::vector<Triple>& known) {
  std::vector<Rank> ranks;
  for (const Triple& triple : triples) {
    for (const Side side : {Side::Head, Side::Tail}) {
      const kg::Query query = query_of(triple, side);
      const std::vector<T> scores = score_one<T>(e, query);
      std::vector<bool> unknown(e.entities, true);
      for (const Triple& other : known) {
        if (query_of(other, side) == query) unknown[entity_on(other, side)] = false;
      }
      const std::uint32_t own = entity_on(triple, side);
      ranks.push_back({count_rank(scores, own, std::vector<bool>(e.entities, true)),
                       count_rank(scores, own, unknown)});
    }
  }
  return ranks;
}

template <class T>
void expect_counted(ScoreModel model, std::uint32_t entities) {
  const kg::Embeddings e = whole_embeddings<T>(model, entities, 4, 6, 3);
  std::vector<Triple> known = random_triples(entities, 4, 90, 7);
  // One more is asked that is not known, one anchor has many answers.
  std::vector<Triple> asked(known.begin(), known.begin() + 40);
  asked.push_back({entities - 1, 3, entities - 1});
  for (std::uint32_t i = 0; i < entities; i += 2) known.push_back({0, 0, i});
  const kg::KnownTriples index(known);
  kg::RankOptions options;
  options.threads = 3;
  const std::vector<Rank> ranks = kg::rank_triples(e, asked, index, options);
  const std::vector<Rank> expected = count_ranks<T>(e, asked, known);
  bool has_half = false;
  ASSERT_EQ(ranks.size(), expected.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    EXPECT_EQ(ranks[i].raw, expected[i].raw) << i;
    EXPECT_EQ(ranks[i].filtered, expected[i].filtered) << i;
    has_half = has_half || ranks[i].filtered != std::floor(ranks[i].filtered);
  }
  EXPECT_TRUE(has_half) << "no tie";
}

TEST(Ranks, AreThoseOfPlainCounting) {
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    SCOPED_TRACE(info.name);
    for (const std::uint32_t entities : {7u, 64u, 300u}) {
      expect_counted<float>(info.model, entities);
      expect_counted<double>(info.model, entities);
    }
  }
}

TEST(Ranks, CoverManyBlocksOfEntities) {
  expect_counted<float>(ScoreModel::TransE, 9001);
  expect_counted<double>(ScoreModel::TransH, 1100);
}

TEST(Ranks, DoNotDependOnThreads) {
  const kg::Embeddings e = whole_embeddings<float>(ScoreModel::ComplEx, 500, 5, 10, 1);
  const std::vector<Triple> triples = random_triples(500, 5, 700, 2);
  const kg::KnownTriples known(triples);
  kg::RankOptions one;
  one.threads = 1;
  kg::RankOptions many;
  many.threads = 7;
  const auto a = kg::rank_triples(e, triples, known, one);
  const auto b = kg::rank_triples(e, triples, known, many);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].filtered, b[i].filtered);
}

TEST(Ranks, AnInverseRelationAnswersForHeads) {
  const kg::Embeddings e = whole_embeddings<float>(ScoreModel::DistMult, 40, 2, 5, 9);
  const std::vector<Triple> triples{{3, 0, 4}, {5, 0, 4}, {3, 0, 8}};
  std::vector<Triple> turned;
  for (const Triple& t : triples) turned.push_back({t.tail, 1, t.head});
  kg::RankOptions options;
  options.inverse = {1, kg::kNoInverse};
  const auto ranks = kg::rank_triples(e, triples, kg::KnownTriples(triples), options);
  const auto expected = count_ranks<float>(e, turned, turned);
  for (std::size_t i = 0; i < triples.size(); ++i) {
    EXPECT_EQ(ranks[2 * i].filtered, expected[2 * i + 1].filtered);
  }
}

TEST(Ranks, NaNIsTheLowestScore) {
  kg::Embeddings e = whole_embeddings<float>(ScoreModel::TransH, 5, 1, 2, 1);
  auto& tables = std::get<kg::EmbeddingTables<float>>(e.tables);
  tables.normals = {0, 0};  // 0 / 0
  const std::vector<Triple> triples{{0, 0, 1}};
  const auto ranks = kg::rank_triples(e, triples, kg::KnownTriples(triples), {});
  EXPECT_EQ(ranks[0].raw, 3);  // all five are equal
}

TEST(Ranks, NoTriplesHaveNone) {
  const kg::Embeddings e = whole_embeddings<float>(ScoreModel::TransE, 5, 1, 2, 1);
  EXPECT_TRUE(kg::rank_triples(e, {}, kg::KnownTriples({}), {}).empty());
}

TEST(Evaluation, RelationsAreManyFromOneAndAHalf) {
  // Relation 0: 3 triples of 2 heads and 3 tails; 1: the reverse; 2: one to one; 3: two by two.
  const std::vector<Triple> known{{0, 0, 1}, {0, 0, 2}, {3, 0, 4}, {1, 1, 0}, {2, 1, 0}, {4, 1, 3},
                                  {0, 2, 1}, {0, 3, 1}, {0, 3, 2}, {5, 3, 1}, {5, 3, 2}, {5, 3, 2}};
  EXPECT_THAT(
      kg::relation_kinds(kg::KnownTriples(known), 5),
      testing::ElementsAre(RelationKind::OneToMany, RelationKind::ManyToOne, RelationKind::OneToOne,
                           RelationKind::ManyToMany, RelationKind::OneToOne));
}

TEST(Evaluation, RowsAreMeansBySideAndKind) {
  const std::vector<Triple> triples{{0, 0, 1}, {0, 1, 2}};
  const std::vector<Rank> ranks{{4, 1}, {2, 1.5}, {20, 10}, {11, 3}};
  const std::vector<RelationKind> kinds{RelationKind::OneToOne, RelationKind::ManyToOne};
  const auto rows = kg::sum_up_ranks(triples, ranks, kinds);
  ASSERT_EQ(rows.size(), 30u);
  const kg::RankMeans& all = rows[0].means;
  EXPECT_EQ(all.ranks, 4u);
  EXPECT_DOUBLE_EQ(all.mrr, (1 + 1 / 1.5 + 0.1 + 1.0 / 3) / 4);
  EXPECT_DOUBLE_EQ(all.hits1, 0.25);
  EXPECT_DOUBLE_EQ(all.hits3, 0.75);
  EXPECT_DOUBLE_EQ(all.hits10, 1);
  EXPECT_DOUBLE_EQ(all.mean_rank, 15.5 / 4);
  EXPECT_EQ(rows[1].side, Side::Head);
  EXPECT_DOUBLE_EQ(rows[1].means.mean_rank, 5.5);
  EXPECT_EQ(rows[9].kind, RelationKind::ManyToOne);
  EXPECT_DOUBLE_EQ(rows[9].means.mean_rank, 6.5);
  EXPECT_FALSE(rows[15].filtered);
  EXPECT_DOUBLE_EQ(rows[15].means.mean_rank, 37.0 / 4);
  EXPECT_EQ(rows[12].means.ranks, 0u);
  EXPECT_EQ(rows[12].means.mrr, 0);
}

}  // namespace
}  // namespace vecc::test
