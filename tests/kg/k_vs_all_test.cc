// k-vs-all: queries with all their answers, against dense labels, and the same bits whatever runs
// them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>

#include "src/kg/query_formula.h"
#include "src/kg/train/triple_loss.h"
#include "tests/kg/random_embeddings.h"
#include "tests/kg/training_oracle.h"
#include "tests/kg/trainings.h"

namespace vecc::test {
namespace {

using kg::Corruption;
using kg::Query;
using kg::ScoreModel;
using kg::Triple;
using kg::TripleLoss;
using kg::TripleTrainOptions;

constexpr std::uint32_t kLabelEntities = 9;
constexpr std::uint32_t kLabelRelations = 3;

// Queries of 1 to 4 answers, one that all entities answer, and triples that stand there twice.
std::vector<Triple> labelled_triples() {
  std::vector<Triple> triples = random_triples(kLabelEntities - 1, kLabelRelations - 1, 30, 3);
  for (std::uint32_t e = 0; e < kLabelEntities; ++e) triples.push_back({3, 2, e});
  triples.push_back(triples[4]);
  triples.push_back(triples.front());
  triples.push_back({3, 2, 5});
  return triples;
}

TripleTrainOptions label_options() {
  TripleTrainOptions o;
  o.model = ScoreModel::DistMult;
  o.dim = 3;
  o.negatives.count = 0;
  o.negatives.labels = true;
  o.optimizer.optimizer = Optimizer::Adagrad;
  o.schedule.base = 0.05;
  o.batch_size = 11;
  o.seed = 11;
  o.dtype = DType::F64;
  return o;
}

std::unique_ptr<kg::TripleTrainer> label_trainer(const TripleTrainOptions& options,
                                                 const std::vector<Triple>& triples) {
  auto trainer = kg::make_triple_trainer(triples, kLabelEntities, kLabelRelations, options);
  EXPECT_TRUE(trainer) << trainer.error().text();
  return std::move(*trainer);
}

void expect_label_steps(const TripleTrainOptions& options) {
  expect_oracle_steps(options, labelled_triples(), kLabelEntities, kLabelRelations);
}

const kg::TripleLossOptions kLabelLosses[] = {{TripleLoss::Logistic, 0, 0, 0},
                                              {TripleLoss::Logistic, 1.5, 0, 0.2},
                                              {TripleLoss::Softmax, 0, 0, 0},
                                              {TripleLoss::Softmax, 0, 0, 0.2}};

TEST(KVsAll, EveryScoreLossAndOptimizerMakesTheStepsOfDenseLabels) {
  const Optimizer optimizers[] = {Optimizer::LazyAdam, Optimizer::Sgd};
  for_each_training(label_options(), kLabelLosses, optimizers, expect_label_steps);
}

TEST(KVsAll, SidesRegularizersAndDropoutMakeTheStepsOfTheirDefinition) {
  for (const ScoreModel model : {ScoreModel::TransH, ScoreModel::TransR, ScoreModel::ComplEx}) {
    for (const Corruption corruption : {Corruption::Both, Corruption::Head, Corruption::Tail}) {
      TripleTrainOptions options = label_options();
      options.model = model;
      options.dim = 19;  // more than a register
      options.negatives.corruption = corruption;
      options.loss.loss =
          corruption == Corruption::Head ? TripleLoss::Logistic : TripleLoss::Softmax;
      options.regularizer = {0.01, 0.02, model == ScoreModel::TransH ? 0.25 : 0.0};
      options.optimizer.epsilon = 1e-4;
      expect_label_steps(options);
      options.dropout = {0.3, model == ScoreModel::ComplEx ? 0.2 : 0.0};
      expect_label_steps(options);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(KVsAll, AnEpochHasEveryDistinctQueryOnce) {
  const std::vector<Triple> triples = labelled_triples();
  for (const Corruption corruption : {Corruption::Both, Corruption::Head, Corruption::Tail}) {
    TripleTrainOptions options = label_options();
    options.negatives.corruption = corruption;
    std::set<Query> expected;
    for (const Triple& triple : triples) {
      if (corruption != Corruption::Head) expected.insert(query_of(triple, kg::Side::Tail));
      if (corruption != Corruption::Tail) expected.insert(query_of(triple, kg::Side::Head));
    }
    kg::BatchMaker maker(triples, kLabelEntities, kLabelRelations, options.negatives, 5, 2);
    ASSERT_EQ(maker.batch_count(), (expected.size() + 4) / 5);
    std::vector<Query> orders[2];
    for (const std::uint64_t epoch : {0u, 1u}) {
      for (std::uint64_t b = 0; b < maker.batch_count(); ++b) {
        const kg::TrainingBatch batch = maker.make(epoch, b);
        EXPECT_EQ(batch.queries.size(),
                  b + 1 < maker.batch_count() ? 5 : (expected.size() - 1) % 5 + 1);
        for (std::size_t i = 0; i < batch.queries.size(); ++i) {
          orders[epoch].push_back(batch.queries[i]);
          EXPECT_TRUE(maker.known().contains(batch.queries[i], batch.answers[i]));
        }
      }
      EXPECT_EQ(orders[epoch].size(), expected.size());
      EXPECT_EQ(std::set<Query>(orders[epoch].begin(), orders[epoch].end()), expected);
    }
    EXPECT_NE(orders[0], orders[1]);
    EXPECT_EQ(maker.make(0, 1).queries,
              kg::BatchMaker(triples, kLabelEntities, kLabelRelations, options.negatives, 5, 2)
                  .make(0, 1)
                  .queries);
  }
}

TEST(KVsAll, TheAnswerThatStandsForAllIsEachOfThemAlike) {
  std::vector<Triple> triples;
  for (const std::uint32_t tail : {1u, 2u, 4u, 7u}) triples.push_back({0, 0, tail});
  TripleTrainOptions options = label_options();
  options.negatives.corruption = Corruption::Tail;
  kg::BatchMaker maker(triples, kLabelEntities, 1, options.negatives, 0, 3);
  std::vector<int> counts(kLabelEntities);
  for (std::uint64_t epoch = 0; epoch < 4000; ++epoch) {
    const kg::TrainingBatch batch = maker.make(epoch, 0);
    ASSERT_EQ(batch.answers.size(), 1u);
    ++counts[batch.answers[0]];
  }
  for (const Triple& triple : triples) EXPECT_NEAR(counts[triple.tail], 1000, 150);
}

// Triples of which no query has two answers: in ascending order both count batches alike.
TEST(KVsAll, QueriesOfOneAnswerAreThoseOf1VsAll) {
  std::vector<Triple> triples;
  for (std::uint32_t e = 0; e < kLabelEntities; ++e) {
    triples.push_back({e, 0, (e * 4 + 1) % kLabelEntities});
  }
  for (const Corruption corruption : {Corruption::Tail, Corruption::Both}) {
    for (const double smoothing : {0.0, 0.3}) {
      TripleTrainOptions options = label_options();
      options.loss = {TripleLoss::Softmax, 0, 0, smoothing};
      options.regularizer.n3 = 0.02;
      options.negatives.corruption = corruption;
      options.batch_size = corruption == Corruption::Tail ? 4 : 0;  // of both: one has pairs
      const auto labelled = label_trainer(options, triples);
      options.negatives.labels = false;
      const auto single = label_trainer(options, triples);
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(labelled->step());
        ASSERT_TRUE(single->step());
        ASSERT_NEAR(*labelled->epoch_loss(), *single->epoch_loss(), 1e-12);
      }
      const auto numbers = [](kg::TripleTrainer& trainer) {
        return std::get<kg::EmbeddingTables<double>>(trainer.embeddings()->tables).entities;
      };
      const std::vector<double> found = numbers(*labelled);
      const std::vector<double> expected = numbers(*single);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12);
    }
  }
}

TEST(KVsAll, AnyNumberOfThreadsHasTheSameBits) {
  for (const ScoreModel model : {ScoreModel::RotatE, ScoreModel::TransH, ScoreModel::TransR}) {
    TripleTrainOptions options = label_options();
    options.model = model;
    options.dim = 37;
    options.dtype = DType::F32;
    options.dropout.entities = 0.2;
    options.regularizer.l2 = 0.01;
    std::vector<WeightFile> files;
    for (const std::uint32_t threads : {1u, 2u, 3u, 8u}) {
      options.threads = threads;
      const auto trainer = label_trainer(options, labelled_triples());
      ASSERT_TRUE(trainer->epochs(4));
      files.push_back(*trainer->save());
    }
    for (const WeightFile& file : files) {
      EXPECT_EQ(file.tensors, files.front().tensors);
      EXPECT_EQ(file.metadata, files.front().metadata);
    }
  }
}

TEST(KVsAll, ATrainingGoesOnFromAFileToTheSameBits) {
  for (const Optimizer optimizer : {Optimizer::Adagrad, Optimizer::Adam}) {
    TripleTrainOptions options = label_options();
    options.optimizer.optimizer = optimizer;
    options.regularizer.l2 = 0.01;
    // The file is of the middle of an epoch.
    expect_same_bits_from_a_file(*label_trainer(options, labelled_triples()),
                                 *label_trainer(options, labelled_triples()), 2, 9);
  }
}

// A tile makes -infinity of a NaN.
TEST(KVsAll, AScoreThatIsNotFiniteIsALossThatIsNotAndMovesNothing) {
  const kg::KnownTriples::Row answer[] = {{0, 0, 1}};
  for (const kg::TripleLossOptions& loss : kLabelLosses) {
    for (const double bad : {1.0, -1.0}) {
      std::vector<double> scores{0.5, 0, bad * std::numeric_limits<double>::infinity()};
      const std::vector<double> before = scores;
      EXPECT_TRUE(std::isnan(kg::labelled_loss<double>(loss, 1, answer, scores)));
      EXPECT_EQ(scores, before);
    }
    TripleTrainOptions options = label_options();
    options.loss = loss;
    options.initial_scale = 1e200;
    const auto trainer = label_trainer(options, labelled_triples());
    const auto before = trainer->save()->tensors;
    const Result<void> stepped = trainer->step();
    ASSERT_FALSE(stepped);
    EXPECT_EQ(stepped.error().list().front().code, ErrorCode::NonFinite);
    EXPECT_EQ(trainer->save()->tensors, before);
  }
}

TEST(KVsAll, WhatHasNoLabelsIsRefused) {
  const auto expect_refused = [](const TripleTrainOptions& options, const std::string& place,
                                 const std::string& words) {
    const auto trainer =
        kg::make_triple_trainer(labelled_triples(), kLabelEntities, kLabelRelations, options);
    ASSERT_FALSE(trainer) << place;
    EXPECT_EQ(trainer.error().list().front().place, place);
    EXPECT_EQ(trainer.error().list().front().code, ErrorCode::Usage);
    EXPECT_NE(trainer.error().text().find(words), std::string::npos) << trainer.error().text();
  };
  TripleTrainOptions options = label_options();
  options.negatives.count = 5;
  expect_refused(options, "--negatives", "draws none");
  options = label_options();
  options.negatives.filtered = true;
  expect_refused(options, "--filtered", "all are labels");
  options = label_options();
  options.negatives.corruption = Corruption::Bernoulli;
  expect_refused(options, "--corrupt", "expected both, head or tail");
  options = label_options();
  options.loss = {TripleLoss::Margin, 1, 0, 0};
  expect_refused(options, "--loss", "expected logistic or softmax");
  options.loss = {TripleLoss::Logistic, 0, 0.5, 0};
  expect_refused(options, "--adversarial", "weighs all entities the same");
  options.loss = {TripleLoss::Logistic, 0, 0, 0.1};  // of 9 entities
  expect_refused(options, "--label-smoothing", "at least 1 / 9");
  options.loss.loss = TripleLoss::Softmax;
  EXPECT_TRUE(
      kg::make_triple_trainer(labelled_triples(), kLabelEntities, kLabelRelations, options));
}

}  // namespace
}  // namespace vecc::test
