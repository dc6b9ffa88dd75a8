// What the files of triple scores hold: neurons by group, tables, samples; and what is refused.
#include <gmock/gmock.h>

#include "tests/import_models/knowledge_graph.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;
using tools::ScoreModel;
using tools::ScoreOptions;

Result<NeuronGraph> ground_score(std::string_view name, const TypedGraph& data,
                                 const ScoreOptions& options, ImportLimits limits = {}) {
  for (const ScoreModel& model : tools::score_models()) {
    if (model.name != name) continue;
    return ground_to_graph([&](Grounder& out) { return model.ground(data, options, out); }, limits);
  }
  throw std::logic_error("no such score");
}

// Two relations, of which r1 has no training triple; e3 is never a head.
TypedGraph four_triples() {
  return KnowledgeGraphBuilder(4, 2)
      .edge(0, 0, 1)
      .edge(1, 0, 2)
      .edge(0, 0, 3)
      .edge(2, 1, 3, Split::Test)
      .build();
}

ScoreOptions small_options(std::uint32_t negatives = 0) {
  ScoreOptions options;
  options.dim = 3;
  options.negatives = negatives;
  return options;
}

std::vector<std::string> describe_tables(const NeuronGraph& graph) {
  std::vector<std::string> tables;
  for (const WeightTable& table : graph.weight_tables) {
    tables.push_back(table.name + " " + std::to_string(table.count) + " " + table.shape.text() +
                     (table.learnable ? "" : " fixed"));
  }
  return tables;
}

TEST(ScoreFile, TransE) {
  const auto graph = ground_score("transe", four_triples(), small_options());
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(count_neurons(*graph),
              UnorderedElementsAre(Pair("fact e/1", 4), Pair("fact r/1", 2),
                                   Pair("weighted rule diff/3", 3), Pair("aggregation diff/3", 3),
                                   Pair("atom diff/3", 3), Pair("weighted rule score/3", 3),
                                   Pair("aggregation score/3", 3), Pair("atom score/3", 3)));
  EXPECT_THAT(describe_tables(*graph),
              ElementsAre("e 4 3x1", "r 2 3x1", "minus_one 1 1 fixed", "minus_ones 1 1x3 fixed"));
  EXPECT_EQ(graph->weight_tables[0].row_names[3], "e3");
  EXPECT_EQ(graph->weight_tables[1].row_names[1], "r1");
  EXPECT_EQ(graph->groups[2].rule_text, "diff(H,R,T) :- e(H), r(R), <-1> e(T), *triple(H,R,T).");
  EXPECT_EQ(graph->groups[4].rule_text, "diff/3 [activation=abs]");
  EXPECT_EQ(graph->groups[5].rule_text, "score(H,R,T) :- <[-1,...,-1]> diff(H,R,T).");
}

TEST(ScoreFile, TransHNormalOnceARelation) {
  const auto graph = ground_score("transh", four_triples(), small_options());
  ASSERT_TRUE(graph) << graph.error().text();
  auto counts = count_neurons(*graph);
  EXPECT_EQ(counts["fact w/1"], 2u);
  EXPECT_EQ(counts["rule inverse/1"], 1u);  // r1 has no training triple
  EXPECT_EQ(counts["atom inverse/1"], 1u);
  EXPECT_EQ(counts["rule head_shift/3"], 3u);
  EXPECT_EQ(counts["weighted rule tail/3"], 3u);
  EXPECT_THAT(describe_tables(*graph),
              ElementsAre("e 4 3x1", "r 2 3x1", "w 2 3x1", "minus_one 1 1 fixed",
                          "minus_ones 1 1x3 fixed"));
}

TEST(ScoreFile, TransRAndRescal) {
  ScoreOptions options = small_options();
  options.relation_dim = 2;
  const auto transr = ground_score("transr", four_triples(), options);
  ASSERT_TRUE(transr) << transr.error().text();
  EXPECT_THAT(describe_tables(*transr),
              ElementsAre("e 4 3x1", "r 2 2x1", "M 2 2x3", "minus_one 1 1 fixed",
                          "minus_ones 1 1x2 fixed"));
  const auto rescal = ground_score("rescal", four_triples(), options);
  ASSERT_TRUE(rescal) << rescal.error().text();
  EXPECT_THAT(describe_tables(*rescal), ElementsAre("e 4 3x1", "M 2 3x3"));
  EXPECT_THAT(
      count_neurons(*rescal),
      UnorderedElementsAre(Pair("fact e/1", 4), Pair("rule row/1", 2), Pair("aggregation row/1", 2),
                           Pair("atom row/1", 2), Pair("weighted rule score/3", 3),
                           Pair("aggregation score/3", 3), Pair("atom score/3", 3)));
}

TEST(ScoreFile, TuckersMatrixOnceARelation) {
  ScoreOptions options = small_options();
  options.relation_dim = 2;
  const auto graph = ground_score("tucker", four_triples(), options);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_THAT(describe_tables(*graph), ElementsAre("e 4 3x1", "r 2 2x1", "W 1 9x2"));
  auto counts = count_neurons(*graph);
  EXPECT_EQ(counts["weighted rule matrix/1"], 1u);  // r1 has no training triple
  EXPECT_EQ(counts["rule score/3"], 3u);
  options.dim = 4096;  // its matrix fits, the tensor does not
  options.relation_dim = 4096;
  const auto large = ground_score("tucker", four_triples(), options);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().list().front().code, ErrorCode::LimitShape);
}

TEST(ScoreFile, TwoAndFourRulesOfOneHead) {
  const auto transf = ground_score("transf", four_triples(), small_options());
  ASSERT_TRUE(transf) << transf.error().text();
  auto counts = count_neurons(*transf);
  EXPECT_EQ(counts["rule score/3"], 6u);
  EXPECT_EQ(counts["aggregation score/3"], 6u);
  EXPECT_EQ(counts["atom score/3"], 3u);
  const auto complex = ground_score("complex", four_triples(), small_options());
  ASSERT_TRUE(complex) << complex.error().text();
  counts = count_neurons(*complex);
  EXPECT_EQ(counts["rule product/3"], 12u);
  EXPECT_EQ(counts["aggregation product/3"], 12u);
  EXPECT_EQ(counts["weighted atom product/3"], 3u);
  EXPECT_THAT(describe_tables(*complex),
              ElementsAre("e_re 4 3x1", "e_im 4 3x1", "r_re 2 3x1", "r_im 2 3x1",
                          "minus_one 1 1 fixed", "ones 1 1x3 fixed"));
}

TEST(ScoreFile, MarginSamples) {
  const auto graph = ground_score("distmult", four_triples(), small_options(2));
  ASSERT_TRUE(graph) << graph.error().text();
  ASSERT_EQ(graph->samples.size(), 9u);
  const char* const positives[] = {"score(e0,r0,e1)", "score(e1,r0,e2)", "score(e0,r0,e3)"};
  for (std::size_t s = 0; s < 9; ++s) {
    const Sample& sample = graph->samples[s];
    EXPECT_EQ(sample.group, s / 3);
    EXPECT_EQ(sample.role, s % 3 == 0 ? Role::Positive : Role::Negative);
    EXPECT_EQ(sample.split, Split::Train);
    EXPECT_FALSE(sample.has_target);
    if (s % 3 == 0) {
      EXPECT_EQ(graph->sample_ids[s], positives[s / 3]);
    }
  }
}

TEST(ScoreFile, LogisticSamplesOfAllSplits) {
  ScoreOptions options = small_options(1);
  options.logistic = true;
  options.triples = std::nullopt;
  const auto graph = ground_score("transe", four_triples(), options);
  ASSERT_TRUE(graph) << graph.error().text();
  ASSERT_EQ(graph->samples.size(), 8u);
  for (std::size_t s = 0; s < 8; ++s) {
    const Sample& sample = graph->samples[s];
    ASSERT_TRUE(sample.has_target);
    EXPECT_TRUE(sample.target_shape.is_scalar());
    EXPECT_EQ(graph->target_values[sample.target_begin], s % 2 == 0 ? 1.0 : 0.0);
    EXPECT_EQ(sample.split, s < 6 ? Split::Train : Split::Test);
  }
  options.triples = Split::Test;
  const auto test = ground_score("transe", four_triples(), options);
  ASSERT_TRUE(test) << test.error().text();
  EXPECT_EQ(test->samples.size(), 2u);
  EXPECT_EQ(test->samples[0].group, 0u);
  // A triple's negatives do not depend on what else is scored.
  EXPECT_EQ(test->sample_ids[1], graph->sample_ids[7]);
}

TEST(ScoreFile, RepeatedNegativesAreOneAtom) {
  const TypedGraph data = KnowledgeGraphBuilder(2, 1).edge(0, 0, 1).build();
  const auto graph = ground_score("transe", data, small_options(20));
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->samples.size(), 21u);
  // (e0, e0) and (e1, e1) are all the corrupted triples there are.
  EXPECT_EQ(count_neurons(*graph)["atom score/3"], 3u);
  std::set<std::string> ids;
  for (std::size_t s = 0; s < 21; ++s) ids.emplace(graph->sample_ids[s]);
  EXPECT_EQ(ids.count("score(e0,r0,e0)"), 1u);
  EXPECT_EQ(ids.count("score(e0,r0,e0)~2"), 1u);
  EXPECT_EQ(ids.size(), 21u);
}

TEST(ScoreFile, NamesThatLookLikeAtoms) {
  TypedGraph data = KnowledgeGraphBuilder(0, 0).edge(0, 0, 1).edge(2, 0, 3).build();
  data.node_count = 4;
  for (const char* name : {"a", "b,r,c", "a,r,b", "c\"\\"}) data.node_names.push_back(name);
  data.relation_names.push_back("r");
  const auto graph = ground_score("distmult", data, small_options());
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->sample_ids[0], "score(a,r,\"b,r,c\")");
  EXPECT_EQ(graph->sample_ids[1], "score(\"a,r,b\",r,\"c\\\"\\\\\")");
}

TEST(ScoreFile, EntitiesWithoutNamesHaveNumbers) {
  TypedGraph data = four_triples();
  data.node_names = {};
  data.edge_split.clear();
  ScoreOptions options = small_options();
  options.triples = std::nullopt;
  const auto graph = ground_score("distmult", data, options);
  ASSERT_TRUE(graph) << graph.error().text();
  EXPECT_EQ(graph->sample_ids[3], "score(2,r1,3)");
  EXPECT_EQ(graph->samples[3].split, Split::Unspecified);
}

void expect_refused(std::string_view model, const TypedGraph& data, const ScoreOptions& options,
                    ErrorCode code, const std::string& message, ImportLimits limits = {}) {
  const auto graph = ground_score(model, data, options, limits);
  ASSERT_FALSE(graph) << message;
  EXPECT_EQ(graph.error().list().front().code, code);
  EXPECT_THAT(graph.error().text(), HasSubstr(message));
}

// A triple's negatives do not depend on how many triples there are.
TEST(ScoreFile, FirstTriples) {
  ScoreOptions options = small_options(2);
  const auto all = ground_score("distmult", four_triples(), options);
  options.first = 2;
  const auto two = ground_score("distmult", four_triples(), options);
  options.first = 9;
  const auto more = ground_score("distmult", four_triples(), options);
  ASSERT_TRUE(all && two && more);
  ASSERT_EQ(all->samples.size(), 9u);
  ASSERT_EQ(two->samples.size(), 6u);
  EXPECT_EQ(more->samples.size(), 9u);
  for (std::size_t i = 0; i < two->samples.size(); ++i) {
    EXPECT_EQ(two->sample_ids[i], all->sample_ids[i]);
  }
}

TEST(ScoreFile, BadOptions) {
  const TypedGraph data = four_triples();
  ScoreOptions options = small_options();
  options.p = 3;
  expect_refused("transe", data, options, ErrorCode::Usage, "--p=3, expected 1 or 2");
  options = small_options();
  options.dim = 0;
  expect_refused("distmult", data, options, ErrorCode::Usage, "--dim=0, expected at least 1");
  options = small_options();
  options.triples = Split::Validation;
  expect_refused("transe", data, options, ErrorCode::Usage,
                 "small: error: no triples for --triples=valid: the data has 3 train, 1 test");
  options = small_options();
  options.relation_dim = 1u << 31;
  expect_refused("transr", data, options, ErrorCode::LimitShape,
                 "a matrix of 2147483648x3: more than 16777216 elements");
}

TEST(ScoreFile, BadLimits) {
  const TypedGraph data = four_triples();
  ScoreOptions options = small_options(0xFFFFFFFF);
  expect_refused("transe", data, options, ErrorCode::LimitNeurons,
                 "3 triples with 4294967295 negatives each: more than");
  ImportLimits limits;
  limits.max_neurons = 10;
  expect_refused("transe", data, small_options(1), ErrorCode::LimitNeurons, "--max-neurons",
                 limits);
}

TEST(ScoreFile, SaturatedPair) {
  const TypedGraph data =
      KnowledgeGraphBuilder(2, 1).edge(0, 0, 0).edge(0, 0, 1).edge(1, 0, 0).edge(1, 0, 1).build();
  expect_refused(
      "transe", data, small_options(1), ErrorCode::Usage,
      "small: error: triple (e0, r0, e0) has no corrupted triple: every entity is a head "
      "of \"r0\" with this tail and a tail with this head; use --negatives=0");
  EXPECT_TRUE(ground_score("transe", data, small_options(0)));
}

}  // namespace
}  // namespace vecc::test
