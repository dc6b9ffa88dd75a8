// Scores that a user writes: their steps against those of the scores that vecc has, their
// derivatives against the formula's own, and the same bits whatever runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/function/differentiate.h"
#include "src/kg/answers.h"
#include "src/kg/embeddings_file.h"
#include "src/kg/formula_vectors.h"
#include "src/kg/ranks.h"
#include "src/kg/score_formula/part_stages.h"
#include "src/kg/train/triple_trainer.h"
#include "tests/kg/random_embeddings.h"
#include "tests/kg/trainings.h"

namespace vecc::test {
namespace {

using kg::ScoreModel;
using kg::Side;
using kg::TripleLoss;
using kg::TripleTrainOptions;

constexpr std::uint32_t kFormulaEntities = 11;
constexpr std::uint32_t kFormulaRelations = 3;

TripleTrainOptions formula_options(const std::string& text) {
  TripleTrainOptions o;
  o.model = ScoreModel::Formula;
  o.formula = text;
  o.dim = 5;
  o.negatives = {6, 4};
  o.optimizer.optimizer = Optimizer::Adagrad;
  o.schedule.base = 0.05;
  o.batch_size = 7;
  o.seed = 5;
  o.dtype = DType::F64;
  return o;
}

std::vector<kg::Triple> formula_triples() {
  return random_triples(kFormulaEntities, kFormulaRelations, 17, 3);
}

std::unique_ptr<kg::TripleTrainer> formula_trainer(const TripleTrainOptions& options) {
  auto trainer =
      kg::make_triple_trainer(formula_triples(), kFormulaEntities, kFormulaRelations, options);
  EXPECT_TRUE(trainer) << trainer.error().text();
  return std::move(*trainer);
}

struct SameScore {
  ScoreModel model;
  std::uint32_t p;
  const char* text;
  std::vector<std::pair<const char*, const char*>> tables;  // of the score, of the formula
};

std::vector<SameScore> same_scores() {
  return {
      {ScoreModel::TransE, 1, "-norm1(h + r - t)", {{"e", "e"}, {"r", "r"}}},
      {ScoreModel::TransE, 2, "-norm2(h - (t - r))", {{"e", "e"}, {"r", "r"}}},
      {ScoreModel::DistMult, 1, "sum(h * r * t)", {{"e", "e"}, {"r", "r"}}},
      {ScoreModel::TransF, 1, "dot(h + r, t) + dot(h, t - r)", {{"e", "e"}, {"r", "r"}}},
      {ScoreModel::Rescal, 1, "r.M: dim x dim\ndot(h, r.M @ t)", {{"e", "e"}, {"M", "r.M"}}},
      {ScoreModel::ComplEx,
       1,
       "e.re: dim; e.im: dim; r.re: dim; r.im: dim\n"
       "re = h.re * r.re - h.im * r.im\n"
       "im = h.re * r.im + h.im * r.re\n"
       "dot(re, t.re) + dot(im, t.im)",
       {{"e_re", "e.re"}, {"e_im", "e.im"}, {"r_re", "r.re"}, {"r_im", "r.im"}}},
      {ScoreModel::TransH,
       1,
       "r.w: dim\n"
       "n = r.w / norm2(r.w)\n"
       "d = h - dot(n, h) * n + r - (t - dot(n, t) * n)\n"
       "-dot(d, d)",
       {{"e", "e"}, {"r", "r"}, {"w", "r.w"}}},
      {ScoreModel::TransR,
       1,
       "r.M: dim x dim\n"
       "-sum(square(r.M @ (h - t) + r))",
       {{"e", "e"}, {"r", "r"}, {"M", "r.M"}}},
  };
}

// Begins with the weights of the other training.
void give_weights(const SameScore& same, const WeightFile& from, kg::TripleTrainer& to) {
  WeightFile file = *to.save();
  for (const auto& [name, own] : same.tables) {
    const auto source = std::ranges::find(from.tensors, std::string(name), &WeightTensor::name);
    const auto target = std::ranges::find(file.tensors, std::string(own), &WeightTensor::name);
    ASSERT_NE(source, from.tensors.end());
    ASSERT_NE(target, file.tensors.end()) << own;
    ASSERT_EQ(source->data.size(), target->data.size());
    target->data = source->data;
  }
  const Result<void> restored = to.restore(file);
  ASSERT_TRUE(restored) << restored.error().text();
}

void expect_same_steps(const SameScore& same, const TripleTrainOptions& changes) {
  SCOPED_TRACE(same.text);
  TripleTrainOptions options = changes;
  options.model = ScoreModel::Formula;
  options.formula = same.text;
  const auto formula = formula_trainer(options);
  options.model = same.model;
  options.p = same.p;
  const auto fixed = formula_trainer(options);
  give_weights(same, *fixed->save(), *formula);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(fixed->step());
    ASSERT_TRUE(formula->step());
    ASSERT_NEAR(*formula->epoch_loss(), *fixed->epoch_loss(), 1e-9);
  }
  const WeightFile expected = *fixed->save();
  const WeightFile found = *formula->save();
  for (const auto& [name, own] : same.tables) {
    const std::vector<double> a = numbers_of(expected, name);
    const std::vector<double> b = numbers_of(found, own);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a[i], b[i], 1e-9 * std::max(1.0, std::abs(a[i]))) << own << " " << i;
    }
  }
}

TEST(FormulaScore, StepsAreThoseOfTheScoresThatVeccHas) {
  for (const SameScore& same : same_scores()) {
    TripleTrainOptions options = formula_options("");
    expect_same_steps(same, options);
    options.interpret = true;
    options.loss = {TripleLoss::Softmax, 0, 0, 0.1};
    options.negatives.count = 0;
    options.optimizer.optimizer = Optimizer::LazyAdam;
    expect_same_steps(same, options);
    options.interpret = false;
    options.negatives.labels = true;
    expect_same_steps(same, options);
    options.negatives = {6, 4, kg::Corruption::Bernoulli, kg::NegativeDraw::Degree, true};
    options.loss = {TripleLoss::Margin, 1, 0.5, 0};
    options.regularizer.l2 = 0.01;
    options.dropout.entities = 0.2;
    expect_same_steps(same, options);
  }
}

TEST(FormulaScore, EmbeddingsOfOneNumberHaveTheSameSteps) {
  TripleTrainOptions options = formula_options("");
  options.dim = 1;
  for (const SameScore& same : same_scores()) {
    // Nothing lies in a plane of a line: transh's derivatives are what rounding leaves.
    if (same.model != ScoreModel::TransH) expect_same_steps(same, options);
  }
}

TEST(FormulaScore, RelationDropoutIsThatOfTheScoresThatVeccHas) {
  TripleTrainOptions options = formula_options("");
  options.dropout = {0.1, 0.3};
  options.regularizer.n3 = 0.01;
  for (const SameScore& same : same_scores()) {
    if (same.model != ScoreModel::TransH && same.model != ScoreModel::TransR &&
        same.model != ScoreModel::ComplEx) {  // whose numbers are real here
      expect_same_steps(same, options);
    }
  }
}

// Formulas of all kinds of parts: tiles or pairs, e by a function, shared parameters on each side.
const char* const kTexts[] = {
    "-norm1(tanh(h + r - t))",
    "W: dim x dim; b: 1\nq = tanh(W @ h) * r\ndot(q, tanh(W @ t)) + b",
    "e.b: 1; r.b: 1; s: 1\nsigmoid(r.b) * dot(h, t) * s + h.b - t.b",
    "W: dim*dim x relation_dim; M = reshape[dim x dim](W @ r); dot(h, M @ t)",
    "w: 3*dim; V: 3 x 3*dim; u: 3\ndot(u, relu(V @ (concat(h, r, t) * w)))",
    "r.M: dim x dim; r: 2; W: dim x 2\n-norm2(r.M @ h - r.M @ t + W @ r)",
    "cossim(h + r, max(t, r))",
};

TEST(FormulaScore, DerivativesAreThoseOfTheFormula) {
  for (const char* const text : kTexts) {
    SCOPED_TRACE(text);
    for (const auto& [interpret, labels] : {std::pair{false, false}, {true, false}, {true, true}}) {
      // One step of sgd with one triple and all entities: the loss is of the formula's scores.
      TripleTrainOptions options = formula_options(text);
      options.interpret = interpret;
      options.relation_dim = std::string(text).find("relation_dim") != std::string::npos ? 3 : 0;
      options.optimizer.optimizer = Optimizer::Sgd;
      options.loss = {TripleLoss::Softmax, 0, 0, 0};
      options.negatives.count = 0;
      options.negatives.labels = labels;
      options.batch_size = 0;
      options.schedule.base = 1;
      const auto trainer = formula_trainer(options);
      const WeightFile before = *trainer->save();
      ASSERT_TRUE(trainer->step());
      const WeightFile after = *trainer->save();
      const auto loss_of = [&](const WeightFile& weights) {
        const auto other = formula_trainer(options);
        EXPECT_TRUE(other->restore(weights));
        EXPECT_TRUE(other->step());
        return *other->epoch_loss();
      };
      std::mt19937 random(3);
      for (std::size_t tensor = 0; tensor < before.tensors.size(); ++tensor) {
        const std::vector<double> old = values_of(before.tensors[tensor]);
        const std::vector<double> moved = values_of(after.tensors[tensor]);
        for (int probe = 0; probe < 4; ++probe) {
          const std::size_t i = random() % old.size();
          constexpr double kStep = 1e-5;
          double sides[2];
          for (const int side : {0, 1}) {
            WeightFile changed = before;
            const double value = old[i] + (side == 0 ? -kStep : kStep);
            std::memcpy(changed.tensors[tensor].data.data() + i * sizeof value, &value,
                        sizeof value);
            sides[side] = loss_of(changed);
          }
          EXPECT_NEAR(old[i] - moved[i], (sides[1] - sides[0]) / (2 * kStep), 1e-7)
              << before.tensors[tensor].name << " " << i;
        }
      }
    }
  }
}

TEST(FormulaScore, AnyNumberOfThreadsHasTheSameBits) {
  for (const char* const text : {kTexts[0], kTexts[1], kTexts[3], "-norm2(h + r - t)"}) {
    TripleTrainOptions options = formula_options(text);
    options.dim = 19;
    options.relation_dim = 7;
    if (std::string(text).find("relation_dim") == std::string::npos) options.relation_dim = 0;
    options.dtype = DType::F32;
    options.dropout.entities = 0.2;
    std::vector<WeightFile> files;
    for (const std::uint32_t threads : {1u, 2u, 3u, 8u}) {
      options.threads = threads;
      const auto trainer = formula_trainer(options);
      ASSERT_TRUE(trainer->epochs(3));
      files.push_back(*trainer->save());
    }
    for (const WeightFile& file : files) EXPECT_EQ(file.tensors, files.front().tensors) << text;
  }
}

TEST(FormulaScore, ATrainingGoesOnFromAFileToTheSameBits) {
  for (const char* const text : {kTexts[1], kTexts[3]}) {
    TripleTrainOptions options = formula_options(text);
    options.optimizer.optimizer = Optimizer::LazyAdam;
    const auto whole = formula_trainer(options);
    expect_same_bits_from_a_file(*whole, *formula_trainer(options), 4, 6);
    options.formula += " * 1";
    EXPECT_FALSE(formula_trainer(options)->restore(*whole->save()))
        << "a checkpoint of another formula";
  }
}

// Every entity as the answer, by the formula as it stands.
TEST(FormulaScore, RanksAndAnswersAreThoseOfTheFormula) {
  for (const char* const text : kTexts) {
    SCOPED_TRACE(text);
    const TripleTrainOptions options = formula_options(text);
    const kg::Embeddings e = *formula_trainer(options)->embeddings();
    const auto& tables = std::get<kg::EmbeddingTables<double>>(e.tables);
    const kg::ScoreFormula& formula = e.formula->formula();
    const Expr expr = kg::expr_of(formula.score);
    const auto score = [&](std::uint32_t h, std::uint32_t r, std::uint32_t t) {
      std::vector<Element> inputs;
      for (const kg::ScoreInput& input : formula.inputs) {
        const kg::ScoreParameter& parameter = formula.parameters[input.parameter];
        const double* const row = input.role == kg::ScoreRole::Head   ? &tables.entities[h * e.dim]
                                  : input.role == kg::ScoreRole::Tail ? &tables.entities[t * e.dim]
                                  : input.role == kg::ScoreRole::Relation
                                      ? &tables.relations[r * e.relation_dim]
                                      : tables.shared.data();
        inputs.push_back({parameter.shape, {row + parameter.begin, parameter.shape.size()}});
      }
      double value = 0;
      evaluate(expr, inputs, {&value, 1});
      return value;
    };
    const std::vector<kg::Triple> triples = formula_triples();
    const kg::KnownTriples known(triples);
    const auto ranks = kg::rank_triples(e, triples, known, {});
    for (std::size_t i = 0; i < triples.size(); ++i) {
      const kg::Triple& triple = triples[i];
      double head_rank = 0.5;  // its own tie is no other's
      double tail_rank = 0.5;
      const double own = score(triple.head, triple.relation, triple.tail);
      const auto add = [&](double& rank, double other) {
        rank += other > own + 1e-12 ? 1 : other < own - 1e-12 ? 0 : 0.5;
      };
      for (std::uint32_t x = 0; x < kFormulaEntities; ++x) {
        add(head_rank, score(x, triple.relation, triple.tail));
        add(tail_rank, score(triple.head, triple.relation, x));
      }
      EXPECT_EQ(ranks[2 * i].raw, head_rank) << i;
      EXPECT_EQ(ranks[2 * i + 1].raw, tail_rank) << i;
    }
    const std::vector<kg::Query> queries{
        {1, Side::Tail, 2}, {0, Side::Head, 3}, {2, Side::Tail, 4}};
    const auto answers = kg::answer_queries(e, queries, known, {.top = 3});
    for (std::size_t q = 0; q < queries.size(); ++q) {
      for (const kg::Answer& answer : answers[q]) {
        const bool tail = queries[q].asked == Side::Tail;
        EXPECT_NEAR(answer.score,
                    score(tail ? queries[q].anchor : answer.entity, queries[q].relation,
                          tail ? answer.entity : queries[q].anchor),
                    1e-12);
      }
    }
  }
}

TEST(FormulaScore, WeightsComeBackFromAFile) {
  const auto trainer = formula_trainer(formula_options(kTexts[2]));
  kg::Embeddings e = *trainer->embeddings();
  for (std::uint32_t i = 0; i < e.entities; ++i) e.entity_names.push_back("e" + std::to_string(i));
  for (std::uint32_t i = 0; i < e.relations; ++i) {
    e.relation_names.push_back("r" + std::to_string(i));
  }
  WeightFile file = kg::weights_of(e);
  const auto read = kg::read_embeddings(file, ScoreModel::Formula, 1);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->entity_names.size(), kFormulaEntities);
  EXPECT_EQ(read->relation_names.size(), kFormulaRelations);
  EXPECT_EQ(kg::weights_of(*read).tensors, file.tensors);
  file.tensors.pop_back();
  const auto less = kg::read_embeddings(file, ScoreModel::Formula, 1);
  ASSERT_FALSE(less);
  EXPECT_NE(less.error().text().find("is not there; the score reads it"), std::string::npos);
  file.metadata.clear();
  EXPECT_FALSE(kg::read_embeddings(file, ScoreModel::Formula, 1));
}

// What the parts of the usual scores are: sums over dimensions, which run as those of the scores
// that vecc has.
TEST(FormulaScore, UsualScoresAreSumsOverDimensions) {
  using kg::PairKind;
  const std::pair<const char*, PairKind> kinds[] = {
      {"-norm1(h + r - t)", PairKind::L1},
      {"-norm2(h + r - t)", PairKind::L2},
      {"-sum(square(h + r - t))", PairKind::SquaredL2},
      {"sum(h * r * t)", PairKind::Product},
      {"dot(h, r * t)", PairKind::Product},
      {"r.M: dim x dim; transp(h) @ r.M @ t", PairKind::Product},
      {"r.M: dim x dim; e.b: 1; dot(r.M @ h, t) + h.b + t.b", PairKind::Product},
      {"dot(h + r, t) + dot(h, t - r)", PairKind::Product},
      {"-norm1(tanh(h + r - t))", PairKind::Other},
  };
  for (const auto& [text, kind] : kinds) {
    const auto formula = kg::parse_score_formula(text, {4, 4}, "--score");
    ASSERT_TRUE(formula) << formula.error().text();
    EXPECT_EQ(kg::split_score(*formula, true).kind, kind) << text;
    EXPECT_EQ(kg::split_score(*formula, false).kind, kind) << text;
  }
}

// Between the kernels of a GPU; a CPU's has them in one.
TEST(FormulaScore, LargeMatricesAreStagesOfTheirOwn) {
  const auto stages = [](const char* text, std::uint32_t dim) {
    const auto formula = kg::parse_score_formula(text, {dim, 3}, "--score");
    EXPECT_TRUE(formula) << formula.error().text();
    const kg::SplitScore tail = kg::split_score(*formula, true, true, kg::SplitInputs::Parameters);
    const auto count = static_cast<std::uint32_t>(formula->parameters.size());
    const kg::PartStages of = kg::stages_of(tail.query, count);
    EXPECT_EQ(of.reads.size() + 1, of.stages.size());
    return of.stages.size();
  };
  const char* const squared =
      "W: dim*dim x relation_dim; M = tanh(reshape[dim x dim](W @ r)); dot(h, M @ t) + sum(M)";
  EXPECT_EQ(stages(kg::tucker_text().data(), 16), 1u);
  EXPECT_EQ(stages(kg::tucker_text().data(), 17), 2u);
  EXPECT_EQ(stages(squared, 17), 3u);
  EXPECT_EQ(stages("r.b: 1; r.b - norm1(h + relu(t))", 4096), 1u);
}

TEST(FormulaScore, WhatIsWrongIsSaidWithItsPlace) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "found no score"},
      {"-norm1(h + r - t", "expected \",\" or \")\", found the end"},
      {"-norm1(h + r - q)", "line 1, column 16: error: unknown name \"q\"; h, r and t are there"},
      {"dot(h, r.M @ t)", "declared on a line before: r.M: dim"},
      {"r.M: dim x dim\ndot(h, r.M * t) + sum(r)", "line 2, column 12"},
      {"frob(h) + sum(r * t)", "column 1: error: unknown function \"frob\""},
      {"h + r - t", "the score is 4x1, expected one number: sum(x) and dot(x, y) make one"},
      {"sum(h * r)", "does not read t"},
      {"a = h + r; -norm1(h - t)", "\"a\" is the name of a line, and not read"},
      {"sum(h * t)", "does not read r"},
      {"r.w: dim\nsum(h * r * t)", "\"r.w\" is declared, and not read"},
      {"e.b: 0\nsum(h * r * t)", "expected a size of 1 to"},
      {"h.b: 1\nsum(h * r * t)", "found \"h.b\", expected e.NAME of entities"},
      {"sum(h * r * t)\nsum(h)", "line 2, column 1: error: a line behind the score"},
      {"a = h\nb = r\nc = t\nd = a\nf = b\nsum(a * b * c)", "more than 5 lines"},
      {"W: 3\nW: 4\nsum(h * r * t)", "is declared twice"},
      {"tanh(h, r) + sum(t)", "tanh has 2 operands"},
      {"sum(h * r * t))", "expected an operator, or the end of the line, found \")\""},
      {"W: dim*dim*dim*dim*dim*dim*dim*dim*dim*dim*dim*dim*dim; sum(h*r*t)", "expected a size"},
  };
  std::string long_text = "h";
  for (int i = 0; i < 5000; ++i) long_text += "+h";
  const auto too_long = kg::parse_score_formula(long_text, {4, 4}, "--score");
  ASSERT_FALSE(too_long);
  EXPECT_NE(too_long.error().text().find("expected at most 8192"), std::string::npos);
  const auto too_large = kg::parse_score_formula(long_text.substr(0, 8001), {4, 4}, "--score");
  ASSERT_FALSE(too_large);
  EXPECT_NE(too_large.error().text().find("more than 4096 functions"), std::string::npos);
  for (const auto& [text, words] : wrong) {
    const auto formula = kg::parse_score_formula(text, {4, 4}, "--score");
    ASSERT_FALSE(formula) << text;
    EXPECT_NE(formula.error().text().find(words), std::string::npos) << text << "\n"
                                                                     << formula.error().text();
  }
}

}  // namespace
}  // namespace vecc::test
