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

TEST(SampleMembers, levels_count_sums_and_means_from_the_outputs) {
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
  const auto levels = graph::aggregation_levels(facts.b.build());
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
  EXPECT_TRUE(members.ranges[0].is_mean);
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

TEST(SampleMembers, what_cannot_be_sampled_is_refused_where_it_has_more_members) {
  for (const Combination combination : {Combination::Max, Combination::Softmax}) {
    Facts facts;
    facts.b.sample(facts.aggregation("h", combination, facts.all));
    EXPECT_EQ(refusal(facts.b.build(), {{3}, false}), "");
    EXPECT_EQ(refusal(facts.b.build(), {{2}, false}),
              "--fanout=2: error: group 1 \"h\" has an aggregation of 3 members at level 1, by " +
                  std::string(info(combination).text) +
                  ", and only sums and means can be sampled: give that level all [E050]");
  }
  Facts counts;
  counts.b.sample(counts.aggregation("h", Combination::Count, counts.all));
  EXPECT_EQ(refusal(counts.b.build(), {{2}, false}), "");
  Facts weighted;
  const WeightId w = weighted.b.weight("w", Shape(), {2});
  weighted.b.sample(weighted.b.neuron(weighted.b.group("h", NeuronClass::Aggregation),
                                      function(Combination::Sum), weighted.all, {w, w, w}));
  EXPECT_NE(refusal(weighted.b.build(), {{2}, false}).find("with weights of their own"),
            std::string::npos);
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
