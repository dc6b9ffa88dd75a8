// Which aggregations of a graph are sampled, and what becomes of them.
#include <gtest/gtest.h>

#include "src/graph/aggregation_levels.h"
#include "tests/support/graph_builder.h"
#include "vecc/fanout.h"

namespace vecc::test {
namespace {

std::string refusal(const NeuronGraph& graph, const Fanout& fanout) {
  const auto sampled = sample_members(graph, fanout);
  return sampled ? std::string() : sampled.error().text();
}

std::vector<std::uint32_t> levels_of(const NeuronGraph& graph) {
  return graph::aggregation_levels(graph, graph::find_attention(graph));
}

// Three facts; what a test adds reads them.
struct Facts {
  GraphBuilder b;
  GroupIndex group = b.group("x", NeuronClass::Fact);
  GraphBuilder::Inputs all{b.fact(group, 1), b.fact(group, 2), b.fact(group, 3)};

  NeuronId aggregation(std::string_view head, Combination combination,
                       const GraphBuilder::Inputs& inputs) {
    return b.neuron(b.group(head, NeuronClass::Aggregation), function(combination), inputs);
  }
};

TEST(SampleMembers, levels_count_aggregations_from_the_outputs) {
  Facts facts;
  const NeuronId first = facts.aggregation("h1", Combination::Avg, facts.all);
  const NeuronId rule = facts.b.neuron(facts.b.group("r", NeuronClass::Rule),
                                       function(Combination::Sum), {first, facts.all[0]});
  const NeuronId counted = facts.aggregation("n", Combination::Count, {rule, first});
  const NeuronId second = facts.aggregation("h2", Combination::Sum, {rule, rule, counted});
  const NeuronId unread = facts.aggregation("u", Combination::Sum, {first, first});
  // The output reads the first layer directly as well: the longer way counts.
  facts.b.sample(facts.b.neuron(facts.b.group("o", NeuronClass::Atom), function(Combination::Sum),
                                {second, first}));
  const auto levels = levels_of(facts.b.build());
  EXPECT_EQ(levels[second], 1u);
  EXPECT_EQ(levels[counted], 2u);
  EXPECT_EQ(levels[rule], 1u);
  EXPECT_EQ(levels[first], 2u);
  EXPECT_EQ(levels[facts.all[0]], 2u);
  EXPECT_EQ(levels[unread], 0u);
}

TEST(SampleMembers, each_member_gets_a_weight_and_a_mean_becomes_a_sum) {
  Facts facts;
  const NeuronId mean = facts.aggregation("h1", Combination::Avg, facts.all);
  const NeuronId sum = facts.aggregation("h2", Combination::Sum, {mean, mean});
  facts.b.sample(sum);
  const NeuronGraph graph = facts.b.build();
  const auto sampled = sample_members(graph, {{Fanout::kAll, 2}, false});
  ASSERT_TRUE(sampled);
  const SampledMembers& members = sampled->members;
  ASSERT_EQ(members.ranges.size(), 1u);  // the sum is of the level that has no number
  EXPECT_EQ(members.ranges[0].counts, SampledMembers::Counts::InMean);
  EXPECT_EQ(members.ranges[0].limits, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(members.members, 3u);
  EXPECT_EQ(members.aggregations, 1u);
  const NeuronGraph& changed = sampled->graph;
  const NeuronRange& range = changed.ranges[changed.range_of(mean)];
  EXPECT_EQ(changed.functions[range.function].combination, Combination::Sum);
  EXPECT_EQ(changed.weights[range.weight_begin + 2], members.first + 2);
  EXPECT_EQ(changed.weight_tables.back().name, kFanoutTable);
  EXPECT_EQ(changed.weight_tables.back().count, 3u);
  EXPECT_EQ(changed.weight_count(), graph.weight_count() + 3);
  EXPECT_EQ(changed.functions[changed.ranges[changed.range_of(sum)].function],
            graph.functions[graph.ranges[graph.range_of(sum)].function]);
}

TEST(SampleMembers, a_graph_with_no_larger_aggregation_stays_as_it_is) {
  Facts facts;
  facts.b.sample(facts.aggregation("h", Combination::Avg, facts.all));
  const NeuronGraph graph = facts.b.build();
  const auto sampled = sample_members(graph, {{3}, false});
  ASSERT_TRUE(sampled);
  EXPECT_TRUE(sampled->members.ranges.empty());
  EXPECT_EQ(sampled->graph.weight_tables.size(), graph.weight_tables.size());
  EXPECT_EQ(sampled->graph.functions.size(), graph.functions.size());
}

TEST(SampleMembers, what_selects_reads_members_through_their_weights) {
  for (const Combination combination : {Combination::Max, Combination::Min, Combination::Softmax}) {
    Facts facts;
    const WeightId w = facts.b.weight("w", Shape(), {2});
    const GroupIndex h = facts.b.group("h", NeuronClass::Aggregation);
    const NeuronId of = facts.b.neuron(h, function(combination), facts.all, {w, kNoWeight, w});
    facts.b.sample(of);
    const NeuronGraph graph = facts.b.build();
    const auto sampled = sample_members(graph, {{2}, false});
    ASSERT_TRUE(sampled) << sampled.error().text();
    ASSERT_EQ(sampled->members.ranges.size(), 1u);
    EXPECT_EQ(sampled->members.ranges[0].counts, SampledMembers::Counts::There);
    const NeuronGraph& changed = sampled->graph;
    EXPECT_EQ(changed.ranges[changed.range_of(of)].weight_begin, kNoColumn);
    ASSERT_EQ(changed.neuron_count(), graph.neuron_count() + 3);
    ASSERT_EQ(changed.ranges.size(), graph.ranges.size() + 1);
    const NeuronRange& members = changed.ranges.back();
    EXPECT_EQ(members.first, graph.neuron_count());
    EXPECT_EQ(members.count, 3u);
    EXPECT_EQ(changed.groups[members.group].head_predicate, "h");
    EXPECT_EQ(
        changed.functions[members.function].expr->text(),
        combination == Combination::Min ? "sum($1, elproduct(-1, log($0)))" : "sum($1, log($0))");
    for (std::uint32_t k = 0; k < 3; ++k) {
      EXPECT_EQ(changed.inputs[changed.input_begin[of] + k], members.first + k);
      EXPECT_EQ(changed.inputs[changed.input_begin[members.first + k]], facts.all[k]);
      EXPECT_EQ(changed.offsets[members.offset_begin + k], sampled->members.first + k);
      EXPECT_EQ(changed.weights[members.weight_begin + k], k == 1 ? kNoWeight : w);
    }
  }
}

TEST(SampleMembers, weights_of_their_own_stand_before_those_of_the_draw) {
  Facts facts;
  const WeightId w = facts.b.weight("w", Shape(), {2});
  const NeuronId sum = facts.b.neuron(facts.b.group("h", NeuronClass::Aggregation),
                                      function(Combination::Sum), facts.all, {w, w, w});
  facts.b.sample(sum);
  const auto sampled = sample_members(facts.b.build(), {{2}, false});
  ASSERT_TRUE(sampled) << sampled.error().text();
  const NeuronGraph& changed = sampled->graph;
  const NeuronRange& members = changed.ranges.back();
  ASSERT_EQ(members.count, 3u);
  EXPECT_EQ(changed.weights[members.weight_begin + 1], w);
  EXPECT_EQ(members.offset_begin, kNoColumn);
  EXPECT_EQ(changed.inputs[changed.input_begin[sum] + 2], members.first + 2);
  const NeuronRange& range = changed.ranges[changed.range_of(sum)];
  EXPECT_EQ(changed.weights[range.weight_begin + 2], sampled->members.first + 2);
}

// Attention over the three facts, of which the first level has two members more.
struct AttentionOfFacts : Facts {
  NeuronId softmax = 0;
  NeuronId reader = 0;

  explicit AttentionOfFacts(Combination by = Combination::Sum) {
    softmax = b.neuron(b.group("alpha", NeuronClass::SplittableAggregation),
                       function(Combination::Softmax), all);
    const GroupIndex entries = b.group("alpha", NeuronClass::Atom);
    const GroupIndex rules = b.group("r", NeuronClass::Rule);
    GraphBuilder::Inputs products;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const NeuronId entry = b.neuron(entries, function(Combination::Sum, Transformation::AtIndex),
                                      {softmax}, {}, kNoWeight, {k});
      products.push_back(b.neuron(rules, function(Combination::Product), {all[k], entry}));
    }
    reader = aggregation("h", by, products);
    b.sample(aggregation("o", Combination::Sum, {reader, reader}));
  }
};

TEST(SampleMembers, an_attention_is_one_level_and_its_softmax_draws) {
  AttentionOfFacts facts;
  const NeuronGraph graph = facts.b.build();
  const auto levels = levels_of(graph);
  EXPECT_EQ(levels[facts.reader], 2u);
  EXPECT_EQ(levels[facts.softmax], 2u);
  EXPECT_EQ(levels[facts.all[0]], 2u);
  const auto sampled = sample_members(graph, {{Fanout::kAll, 2}, false});
  ASSERT_TRUE(sampled) << sampled.error().text();
  ASSERT_EQ(sampled->members.ranges.size(), 1u);
  EXPECT_EQ(sampled->members.ranges[0].range, graph.range_of(facts.softmax));
  EXPECT_EQ(sampled->members.aggregations, 1u);
  EXPECT_EQ(
      refusal(AttentionOfFacts(Combination::Max).b.build(), {{Fanout::kAll, 2}, false}),
      "--fanout=all,2: error: group 4 \"h\" has an aggregation of 3 members at level 2, by max "
      "of products with a softmax's entries, of which only sums can be sampled: give that "
      "level all [E050]");
}

TEST(SampleMembers, what_cannot_be_sampled_is_refused_where_it_has_more_members) {
  Facts products;
  products.b.sample(products.aggregation("h", Combination::ElProduct, products.all));
  EXPECT_EQ(refusal(products.b.build(), {{3}, false}), "");
  EXPECT_EQ(refusal(products.b.build(), {{2}, false}),
            "--fanout=2: error: group 1 \"h\" has an aggregation of 3 members at level 1, by "
            "elproduct, and only sums, means, max, min, softmax and sparsemax can be sampled: give "
            "that level all [E050]");
  Facts counts;
  counts.b.sample(counts.aggregation("h", Combination::Count, counts.all));
  EXPECT_EQ(refusal(counts.b.build(), {{2}, false}), "");
  Facts moved;
  const WeightId offset = moved.b.weight("b", Shape(), {2});
  const GroupIndex h = moved.b.group("h", NeuronClass::Aggregation);
  moved.b.sample(moved.b.neuron(h, function(Combination::Avg), moved.all, {}, offset));
  EXPECT_NE(refusal(moved.b.build(), {{2}, false}).find("an offset that is averaged"),
            std::string::npos);
}

TEST(SampleMembers, numbers_by_level_are_read) {
  for (const char* text : {"15,10", "all", "1,all,4294967294"}) {
    const auto fanout = parse_fanout(text);
    ASSERT_TRUE(fanout);
    EXPECT_EQ(text_of(*fanout), text);
  }
  for (const char* text : {"", "0", "15,", ",15", "-1", "1.5", "15 ", "4294967296", "none"}) {
    EXPECT_FALSE(parse_fanout(text)) << text;
  }
}

}  // namespace
}  // namespace vecc::test
