#include "tools/import/models/scores/negatives.h"

#include <gtest/gtest.h>

#include "tests/import_models/knowledge_graph.h"
#include "tools/import/models/scores/triple_list.h"

namespace vecc::test {
namespace {

using tools::Corruption;
using tools::ScoreOptions;
using tools::SplitMix;
using tools::Triple;
using tools::TripleList;

TripleList list(const TypedGraph& data, std::uint32_t negatives, std::int64_t seed) {
  ScoreOptions options;
  options.negatives = negatives;
  options.seed = seed;
  options.triples = std::nullopt;
  auto result = tools::list_triples(data, options, {});
  EXPECT_TRUE(result) << result.error().text();
  return result ? std::move(*result) : TripleList{};
}

// FNV-1a over the queries' triples.
std::uint64_t digest(const TripleList& triples) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const std::uint32_t number : triples.triple) {
    const Triple& t = triples.triples[number];
    for (const std::uint32_t word : {t.head, t.relation, t.tail}) {
      hash = (hash ^ word) * 0x100000001B3ull;
    }
  }
  return hash;
}

TEST(Negatives, AreNoTriplesOfTheData) {
  const TypedGraph data = random_knowledge_graph(30, 4, 300, 3);
  std::set<Triple> known;
  for (std::size_t e = 0; e < data.edge_count(); ++e) {
    known.insert({data.source[e], data.relation[e], data.target[e]});
  }
  const TripleList triples = list(data, 10, 5);
  ASSERT_EQ(triples.query_count(), 3300u);
  std::size_t heads = 0;
  for (std::uint32_t q = 0; q < triples.query_count(); ++q) {
    const Triple& triple = triples.triples[triples.triple[q]];
    const Triple& positive = triples.triples[triples.triple[q - q % 11]];
    const std::uint64_t edge = triples.edge[q / 11];
    EXPECT_EQ(positive, (Triple{data.source[edge], data.relation[edge], data.target[edge]}));
    if (q % 11 == 0) continue;
    EXPECT_EQ(known.count(triple), 0u);
    EXPECT_EQ(triple.relation, positive.relation);
    const bool same_head = triple.head == positive.head;
    EXPECT_NE(same_head, triple.tail == positive.tail);
    heads += same_head ? 0 : 1;
  }
  EXPECT_NEAR(static_cast<double>(heads) / 3000, 0.5, 0.03);
  std::set<Triple> distinct(triples.triples.begin(), triples.triples.end());
  EXPECT_EQ(distinct.size(), triples.triples.size());
}

TEST(Negatives, SameForASeedOnEveryMachine) {
  const TypedGraph data = KnowledgeGraphBuilder(1000, 2)
                              .edge(1, 0, 2)
                              .edge(3, 1, 999)
                              .edge(0, 0, 0)
                              .edge(500, 1, 7)
                              .build();
  EXPECT_EQ(digest(list(data, 100, 1)), digest(list(data, 100, 1)));
  EXPECT_NE(digest(list(data, 100, 1)), digest(list(data, 100, 2)));
  EXPECT_EQ(digest(list(data, 100, 1)), 0xF7E414EC2F803DD5ull);
  EXPECT_EQ(digest(list(data, 100, -1)), 0x3C47EAC27C780843ull);
}

TEST(Negatives, FewerAreTheFirstOfMore) {
  const TypedGraph data = random_knowledge_graph(50, 2, 20, 1);
  const TripleList few = list(data, 2, 9);
  const TripleList many = list(data, 5, 9);
  for (std::uint32_t positive = 0; positive < 20; ++positive) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      EXPECT_EQ(few.triples[few.triple[positive * 3 + k]],
                many.triples[many.triple[positive * 6 + k]]);
    }
  }
}

TEST(Negatives, EveryUnknownEntityIsDrawnEquallyOften) {
  // Tails of (e0, r0): 1, 2, 5; heads of (r0, e1): 0, 3.
  const TypedGraph data =
      KnowledgeGraphBuilder(6, 1).edge(0, 0, 1).edge(0, 0, 2).edge(0, 0, 5).edge(3, 0, 1).build();
  const Corruption corruption(data);
  SplitMix random(4);
  std::map<Triple, int> counts;
  for (int i = 0; i < 12000; ++i) ++counts[*corruption.draw({0, 0, 1}, random)];
  ASSERT_EQ(counts.size(), 7u);
  for (const std::uint32_t tail : {0u, 3u, 4u}) EXPECT_NEAR((counts[{0, 0, tail}]), 2000, 200);
  for (const std::uint32_t head : {1u, 2u, 4u, 5u}) EXPECT_NEAR((counts[{head, 0, 1}]), 1500, 200);
}

TEST(Negatives, TheOtherSideWhereOneIsSaturated) {
  // Every entity is a head of (r0, e1).
  const TypedGraph data =
      KnowledgeGraphBuilder(3, 1).edge(0, 0, 1).edge(1, 0, 1).edge(2, 0, 1).build();
  const Corruption corruption(data);
  SplitMix random(4);
  for (int i = 0; i < 100; ++i) {
    const auto negative = corruption.draw({0, 0, 1}, random);
    ASSERT_TRUE(negative);
    EXPECT_EQ(negative->head, 0u);
    EXPECT_NE(negative->tail, 1u);
  }
}

TEST(Negatives, KnownTriples) {
  const TypedGraph data =
      KnowledgeGraphBuilder(3, 2).edge(0, 0, 1).edge(2, 1, 0, Split::Test).build();
  const Corruption corruption(data);
  EXPECT_TRUE(corruption.is_known({0, 0, 1}));
  EXPECT_TRUE(corruption.is_known({2, 1, 0}));
  EXPECT_FALSE(corruption.is_known({0, 1, 1}));
  EXPECT_FALSE(corruption.is_known({1, 0, 0}));
  EXPECT_FALSE(corruption.is_known({2, 0, 0}));
}

}  // namespace
}  // namespace vecc::test
