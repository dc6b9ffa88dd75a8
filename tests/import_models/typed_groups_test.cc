// rgcn, rgat and hgt: the neurons are those that the definition of grounding says, the weights
// those that docs/architectures.md lists.
#include <gmock/gmock.h>

#include <set>

#include "tests/import_models/typed_case.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;
using tools::TypedGraph;
using tools::TypedOptions;

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

// What the definition counts, by sets.
struct Counts {
  std::uint64_t nodes, edges = 0, relations, types;
  Pairs sources, heads, ends;       // (relation, node)
  std::set<std::uint32_t> targets;  // with edges into them

  Counts(const TypedGraph& data, bool inverse)
      : nodes(data.node_count),
        relations(data.relation_count() * (inverse ? 2 : 1)),
        types(data.node_type_names.size()) {
    const auto add = [this](std::uint32_t s, std::uint32_t r, std::uint32_t t) {
      ++edges;
      sources.emplace(r, s);
      heads.emplace(r, t);
      ends.emplace(r, s);
      ends.emplace(r, t);
      targets.insert(t);
    };
    for (std::size_t e = 0; e < data.edge_count(); ++e) {
      add(data.source[e], data.relation[e], data.target[e]);
      if (!inverse) continue;
      add(data.target[e], data.relation[e] + data.relation_count(), data.source[e]);
    }
  }
};

using enum NeuronClass;

// A predicate with one body for each of `count` heads.
void add_single(GroupSizes& sizes, const std::string& predicate, std::uint64_t count,
                NeuronClass rule = Rule, NeuronClass atom = Atom) {
  sizes[{rule, predicate}] = count;
  sizes[{Aggregation, predicate}] = count;
  sizes[{atom, predicate}] = count;
}

struct Grounded {
  TypedGraph data;
  NeuronGraph graph;
  Counts counts;
};
Grounded ground(const std::string& model, const TypedOptions& options,
                const TypedGraphOptions& graph_options = {}) {
  TypedGraph data = random_typed_graph(graph_options, 5);
  NeuronGraph graph = ground_typed(model, data, options);
  const Counts counts(data, options.inverse);
  return {std::move(data), std::move(graph), counts};
}

TEST(TypedGroups, Rgcn) {
  TypedOptions options = with_dims({3, 4, 5});
  for (const bool inverse : {true, false}) {
    for (const bool bias : {true, false}) {
      options.inverse = inverse;
      options.bias = bias;
      const Grounded g = ground("rgcn", options);
      GroupSizes sizes{{{Fact, "e/1"}, g.counts.nodes}};
      for (const char* h : {"h1/1", "h2/1"}) {
        sizes[{WeightedRule, h}] = g.counts.edges + g.counts.nodes;
        sizes[{Aggregation, h}] = g.counts.heads.size() + g.counts.nodes;
        sizes[{bias ? WeightedAtom : Atom, h}] = g.counts.nodes;
      }
      EXPECT_EQ(count_groups(g.graph), sizes);
    }
  }
}

TEST(TypedGroups, Rgat) {
  const Grounded g = ground("rgat", with_dims({3, 4}));
  const Counts& c = g.counts;
  GroupSizes sizes{{{Fact, "e/1"}, c.nodes}};
  add_single(sizes, "z1/2", c.ends.size(), WeightedRule);
  add_single(sizes, "s1/3", c.edges, WeightedRule);
  sizes[{Rule, "alpha1/3"}] = c.edges;
  sizes[{SplittableAggregation, "alpha1/3"}] = c.targets.size();
  sizes[{Atom, "alpha1/3"}] = c.edges;
  sizes[{Rule, "h1/1"}] = c.edges;
  sizes[{Aggregation, "h1/1"}] = c.nodes;
  sizes[{Atom, "h1/1"}] = c.nodes;
  EXPECT_EQ(count_groups(g.graph), sizes);
  EXPECT_LT(c.targets.size(), c.nodes);  // the isolated ones
}

TEST(TypedGroups, RgatWithHeads) {
  TypedOptions options = with_dims({3, 6});
  options.heads = 2;
  options.bias = true;
  const Grounded g = ground("rgat", options);
  const Counts& c = g.counts;
  GroupSizes sizes{{{Fact, "e/1"}, c.nodes}};
  add_single(sizes, "z1/2", c.ends.size(), WeightedRule);
  add_single(sizes, "z1/3", 2 * c.sources.size());
  add_single(sizes, "s1/4", 2 * c.edges, WeightedRule);
  sizes[{Rule, "alpha1/4"}] = 2 * c.edges;
  sizes[{SplittableAggregation, "alpha1/4"}] = 2 * c.targets.size();
  sizes[{Atom, "alpha1/4"}] = 2 * c.edges;
  sizes[{Rule, "m1/2"}] = 2 * c.edges;
  sizes[{Aggregation, "m1/2"}] = 2 * c.nodes;
  sizes[{Atom, "m1/2"}] = 2 * c.nodes;
  add_single(sizes, "h1/1", c.nodes, Rule, WeightedAtom);
  EXPECT_EQ(count_groups(g.graph), sizes);
}

// What hgt has with one head or several; `arity`: 1 with a head argument.
GroupSizes hgt_sizes(const Counts& c, std::uint64_t heads) {
  const auto predicate = [&](const char* name, std::uint64_t arguments) {
    return name + std::string("/") + std::to_string(arguments + (heads > 1 ? 1 : 0));
  };
  GroupSizes sizes{{{Fact, "e/1"}, c.nodes}};
  for (const char* name : {"k1", "q1", "v1"}) {
    add_single(sizes, name + std::string("/1"), c.nodes, WeightedRule);
    if (heads > 1) add_single(sizes, name + std::string("/2"), heads * c.nodes);
  }
  add_single(sizes, predicate("s1", 3), heads * c.edges, WeightedRule, WeightedAtom);
  sizes[{Rule, predicate("alpha1", 3)}] = heads * c.edges;
  sizes[{SplittableAggregation, predicate("alpha1", 3)}] = heads * c.targets.size();
  sizes[{Atom, predicate("alpha1", 3)}] = heads * c.edges;
  sizes[{WeightedRule, predicate("m1", 1)}] = heads * c.edges;
  sizes[{Aggregation, predicate("m1", 1)}] = heads * c.heads.size();
  sizes[{Atom, predicate("m1", 1)}] = heads * c.nodes;
  if (heads > 1) add_single(sizes, "c1/1", c.nodes);
  return sizes;
}

TEST(TypedGroups, Hgt) {
  for (const std::uint32_t heads : {1u, 2u}) {
    TypedOptions options = with_dims({3, 4});
    options.heads = heads;
    const Grounded g = ground("hgt", options);
    GroupSizes sizes = hgt_sizes(g.counts, heads);
    add_single(sizes, "h1/1", g.counts.nodes, WeightedRule);
    EXPECT_EQ(count_groups(g.graph), sizes);
  }
}

TEST(TypedGroups, HgtWithGateAndNorm) {
  TypedOptions options = with_dims({4, 4, 4});
  options.heads = 2;
  options.layer_norm = true;
  const Grounded g = ground("hgt", options);
  const Counts& c = g.counts;
  const GroupSizes all = count_groups(g.graph);
  GroupSizes first_layer = hgt_sizes(c, 2);
  add_single(first_layer, "o1/1", c.nodes, WeightedRule);
  first_layer[{Fact, "skip1/1"}] = c.types;
  add_single(first_layer, "g1/1", c.types);
  first_layer[{Negation, "g1/1"}] = c.types;
  // Two rules prove what NORM takes: the new value, and the old one.
  first_layer[{Rule, "n1/1"}] = 2 * c.nodes;
  first_layer[{Aggregation, "n1/1"}] = 2 * c.nodes;
  first_layer[{Atom, "n1/1"}] = c.nodes;
  add_single(first_layer, "h1/1", c.nodes);
  for (const auto& [group, count] : first_layer) {
    ASSERT_TRUE(all.contains(group)) << group.second;
    EXPECT_EQ(all.at(group), count) << group.second;
  }
  // The last layer has no relu, and so no predicate between.
  EXPECT_FALSE(all.contains({Atom, "n2/1"}));
  EXPECT_EQ(all.at({Atom, "h2/1"}), c.nodes);
}

TEST(TypedGroups, GivenFeatures) {
  TypedOptions options = with_dims({3, 4});
  options.given_features = true;
  TypedGraphOptions graph;
  graph.feature_dims = {5, 0, 2};
  const Grounded g = ground("rgcn", options, graph);
  GroupSizes sizes = count_groups(g.graph);
  const std::uint64_t facts = sizes[{Fact, "feature_type0/1"}] + sizes[{Fact, "e_type1/1"}] +
                              sizes[{Fact, "feature_type2/1"}];
  EXPECT_EQ(facts, g.counts.nodes);
  EXPECT_EQ((sizes[{WeightedRule, "x/1"}]), g.counts.nodes);
  EXPECT_EQ((sizes[{Aggregation, "x/1"}]), g.counts.nodes);
  EXPECT_EQ((sizes[{Atom, "x/1"}]), g.counts.nodes);
  EXPECT_THAT(NamedWeights(g.graph).names(),
              ElementsAre("x.P_type0", "e_type1", "x.P_type2", "h1.W", "h1.W_0"));
}

TEST(TypedGroups, OneGroupForAllRelations) {
  const Grounded g = ground("rgcn", with_dims({64, 32}));
  std::vector<std::string> rules;
  for (const NeuronGroup& group : g.graph.groups) {
    if (group.neuron_class == WeightedRule) rules.push_back(group.rule_text);
  }
  EXPECT_THAT(rules, ElementsAre("h1(X) :- {32,64} e(Y), *r(Y,X). [aggregation=avg]",
                                 "h1(X) :- {32,64} e(X)."));
}

std::vector<std::string> table_texts(const NeuronGraph& graph) {
  std::vector<std::string> texts;
  for (const WeightTable& table : graph.weight_tables) {
    texts.push_back(table.name + " " + std::to_string(table.count) + " " + table.shape.text());
  }
  return texts;
}

TEST(TypedWeights, OfRgcn) {
  TypedOptions options = with_dims({3, 4});
  options.bias = true;
  const Grounded g = ground("rgcn", options);
  EXPECT_THAT(table_texts(g.graph),
              ElementsAre("e 12 3x1", "h1.W 8 4x3", "h1.W_0 1 4x3", "h1.b 1 4x1"));
  const StringColumn& names = g.graph.weight_tables[1].row_names;
  EXPECT_EQ(names[1], "relation1");
  EXPECT_EQ(names[5], "relation1^-1");
  EXPECT_EQ(g.graph.weight_tables[0].row_names[7], "node7");
}

TEST(TypedWeights, OfRgat) {
  TypedOptions options = with_dims({3, 4});
  options.bias = true;
  options.heads = 2;
  const Grounded g = ground("rgat", options);
  EXPECT_THAT(table_texts(g.graph), ElementsAre("e 12 3x1", "h1.W 8 4x3", "h1.a_target 16 1x4",
                                                "h1.a_source 16 1x4", "h1.b 1 4x1"));
  EXPECT_EQ(g.graph.weight_tables[2].row_names[3], "relation1#1");
  options.shared_attention = true;
  EXPECT_THAT(table_texts(ground("rgat", options).graph),
              ElementsAre("e 12 3x1", "h1.W 8 4x3", "h1.a_target 2 1x4", "h1.a_source 2 1x4",
                          "h1.b 1 4x1"));
}

TEST(TypedWeights, OfHgt) {
  TypedOptions options = with_dims({4, 4});
  options.heads = 2;
  const Grounded g = ground("hgt", options);
  EXPECT_THAT(table_texts(g.graph),
              ElementsAre("e 12 4x1", "h1.K 3 4x4", "h1.b_K 3 4x1", "h1.Q 3 4x4", "h1.b_Q 3 4x1",
                          "h1.V 3 4x4", "h1.b_V 3 4x1", "h1.A 16 2x2", "h1.M 16 2x2", "h1.p 16 1",
                          "h1.scale 1 1", "h1.O 3 4x4", "h1.b_O 3 4x1", "h1.skip 3 1"));
  for (const WeightTable& table : g.graph.weight_tables) {
    EXPECT_EQ(table.learnable, table.name != "h1.scale");
  }
  options.bias = false;
  options.skip = false;
  EXPECT_THAT(table_texts(ground("hgt", options).graph),
              ElementsAre("e 12 4x1", "h1.K 3 4x4", "h1.Q 3 4x4", "h1.V 3 4x4", "h1.A 16 2x2",
                          "h1.M 16 2x2", "h1.p 16 1", "h1.scale 1 1", "h1.O 3 4x4"));
}

}  // namespace
}  // namespace vecc::test
