// The order of edges, and what rules need of them.
#include "tools/import/models/typed/typed_edges.h"

#include <gmock/gmock.h>

namespace vecc::test {
namespace {

using testing::ElementsAre;
using tools::TypedEdges;
using tools::TypedGraph;

// Edges source -relation-> target, in no order; relation 1 has none.
TypedGraph small_graph() {
  TypedGraph graph;
  graph.node_count = 5;
  for (const char* name : {"a", "none", "b"}) graph.relation_names.push_back(name);
  graph.source = {3, 0, 2, 1, 1, 4};
  graph.target = {1, 1, 0, 1, 1, 4};
  graph.relation = {2, 0, 0, 2, 0, 2};
  return graph;
}

TEST(TypedEdges, AreSortedByRelationTargetAndSource) {
  const auto edges = tools::sort_edges(small_graph(), false);
  ASSERT_TRUE(edges);
  EXPECT_THAT(edges->relation_begin, ElementsAre(0, 3, 3, 6));
  EXPECT_THAT(edges->target, ElementsAre(0, 1, 1, 1, 1, 4));
  EXPECT_THAT(edges->source, ElementsAre(2, 0, 1, 1, 3, 4));
}

TEST(TypedEdges, InverseRelationsAreNumberedAfterTheOthers) {
  const auto edges = tools::sort_edges(small_graph(), true);
  ASSERT_TRUE(edges);
  EXPECT_EQ(edges->relation_count(), 6u);
  EXPECT_THAT(edges->relation_begin, ElementsAre(0, 3, 3, 6, 9, 9, 12));
  EXPECT_THAT(edges->target, ElementsAre(0, 1, 1, 1, 1, 4, /*inverse*/ 0, 1, 2, 1, 3, 4));
  EXPECT_THAT(edges->source, ElementsAre(2, 0, 1, 1, 3, 4, /*inverse*/ 1, 1, 0, 1, 1, 4));
}

TEST(TypedEdges, HeadsAreDistinctRelationsAndTargets) {
  const auto edges = tools::sort_edges(small_graph(), false);
  const tools::RelationHeads heads = tools::find_heads(*edges);
  EXPECT_THAT(heads.target, ElementsAre(0, 1, 1, 4));
  EXPECT_THAT(heads.begin, ElementsAre(0, 1, 3, 5, 6));
  const tools::ItemLists of_node = tools::list_by_key(heads.target, 5);
  EXPECT_THAT(of_node.begin, ElementsAre(0, 1, 3, 3, 3, 4));
  EXPECT_THAT(of_node.item, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(of_node.is_empty(2));
  EXPECT_FALSE(of_node.is_empty(4));
}

TEST(TypedEdges, EndsAreSourcesFirst) {
  const TypedGraph graph = small_graph();
  const auto edges = tools::sort_edges(graph, false);
  const auto ends = tools::find_ends(*edges, graph);
  ASSERT_TRUE(ends);
  EXPECT_EQ(ends->source_count, 6u);
  // Relation 0: sources 2, 0, 1, and 0 and 1 are targets as well. Relation 2: sources 1, 3, 4.
  EXPECT_THAT(ends->node, ElementsAre(2, 0, 1, 1, 3, 4));
  EXPECT_THAT(ends->source_begin, ElementsAre(0, 3, 3, 6));
  EXPECT_THAT(ends->target_begin, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(ends->of_source, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(ends->of_target, ElementsAre(1, 2, 2, 3, 3, 5));
}

TEST(TypedEdges, EndsThatAreTargetsOnly) {
  TypedGraph graph = small_graph();
  graph.source = {0, 0, 1, 2};
  graph.target = {3, 4, 0, 1};
  graph.relation = {0, 0, 2, 2};
  const auto edges = tools::sort_edges(graph, false);
  const auto ends = tools::find_ends(*edges, graph);
  ASSERT_TRUE(ends);
  EXPECT_EQ(ends->source_count, 3u);
  EXPECT_THAT(ends->node, ElementsAre(0, /*relation 2*/ 1, 2, /*targets only*/ 3, 4, 0));
  EXPECT_THAT(ends->target_begin, ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(ends->of_source, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(ends->of_target, ElementsAre(3, 4, 5, 1));
}

TEST(TypedEdges, NoEdges) {
  TypedGraph graph;
  graph.node_count = 2;
  graph.relation_names.push_back("a");
  const auto edges = tools::sort_edges(graph, true);
  ASSERT_TRUE(edges);
  EXPECT_EQ(edges->count(), 0u);
  EXPECT_THAT(edges->relation_begin, ElementsAre(0, 0, 0));
  EXPECT_EQ(tools::find_heads(*edges).count(), 0u);
  EXPECT_EQ(tools::find_ends(*edges, graph)->count(), 0u);
}

}  // namespace
}  // namespace vecc::test
