// Trainings with an encoder below a score: steps against one Program, and the same bits whatever
// runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "src/kg/train/edge_mask.h"
#include "tests/kg/encoder_oracle.h"
#include "tests/kg/random_embeddings.h"
#include "tests/kg/trainings.h"
#include "vecc/backend.h"

namespace vecc::test {
namespace {

using kg::EncoderKind;
using kg::ScoreModel;
using kg::Triple;
using kg::TripleLoss;
using kg::TripleTrainOptions;

constexpr std::uint32_t kEncodedEntities = 12;
constexpr std::uint32_t kEncodedRelations = 3;

std::vector<Triple> few_triples() {
  return random_triples(kEncodedEntities - 1, kEncodedRelations, 25, 3);
}

TripleTrainOptions encoder_options(EncoderKind kind) {
  TripleTrainOptions o;
  o.model = ScoreModel::DistMult;
  o.dim = 4;
  o.negatives = {6, 5};
  o.optimizer.optimizer = Optimizer::Sgd;
  o.schedule.base = 0.05;
  o.batch_size = 10;
  o.seed = 7;
  o.dtype = DType::F64;
  o.encoder.kind = kind;
  o.encoder.widths = {6, 4};
  if (kind == EncoderKind::Rgcn) o.encoder.bases = 2;
  if (kind != EncoderKind::Rgcn) o.encoder.heads = 2;
  o.encoder_backend = "interpreter";
  o.threads = 1;
  return o;
}

std::unique_ptr<kg::TripleTrainer> encoder_trainer(const TripleTrainOptions& options) {
  auto trainer =
      kg::make_triple_trainer(few_triples(), kEncodedEntities, kEncodedRelations, options);
  EXPECT_TRUE(trainer) << trainer.error().text();
  return std::move(*trainer);
}

void expect_encoder_steps(const TripleTrainOptions& options) {
  const auto trainer = encoder_trainer(options);
  EncoderOracle oracle(*trainer->save(), few_triples(), kEncodedEntities, kEncodedRelations,
                       options);
  kg::BatchMaker draws(few_triples(), kEncodedEntities, kEncodedRelations, options.negatives,
                       options.batch_size, options.seed);
  double sum = 0;
  double queries = 0;
  for (int i = 0; i < 4; ++i) {  // the fourth is of the next epoch
    const TrainPosition at = trainer->position();
    const kg::TrainingBatch batch = draws.make(at.epoch, at.batch);
    if (at.batch == 0) sum = queries = 0;
    sum += oracle.step(batch, draws) * static_cast<double>(batch.queries.size());
    queries += static_cast<double>(batch.queries.size());
    const Result<void> stepped = trainer->step();
    ASSERT_TRUE(stepped) << stepped.error().text();
    ASSERT_NEAR(*trainer->epoch_loss(), sum / queries, 1e-9);
  }
  const WeightFile file = *trainer->save();
  ASSERT_GE(oracle.tables().size(), 3u);
  for (const auto& [name, expected] : oracle.tables()) {
    const std::vector<double> found = numbers_of(file, name);
    ASSERT_EQ(found.size(), expected.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-9) << name;
  }
}

constexpr EncoderKind kKinds[] = {EncoderKind::Rgcn, EncoderKind::Rgat, EncoderKind::Hgt};

TEST(EncoderTraining, StepsAreThoseOfOneProgram) {
  for (const EncoderKind kind : kKinds) {
    for (const ScoreModel model : {ScoreModel::DistMult, ScoreModel::TransE}) {
      for (const TripleLoss loss : {TripleLoss::Logistic, TripleLoss::Margin}) {
        TripleTrainOptions options = encoder_options(kind);
        options.model = model;
        options.loss = {loss, 1.5, 0, 0};
        SCOPED_TRACE(std::string(kg::text_of(kind)) + " " + std::string(kg::info_of(model).name));
        expect_encoder_steps(options);
        options.optimizer.optimizer = Optimizer::Adagrad;
        options.optimizer.epsilon = 1e-4;
        options.encoder = {};
        options.encoder.kind = kind;
        options.encoder.layers = 1;
        options.encoder.self_loops = loss == TripleLoss::Margin;
        options.negatives.count = 0;  // all entities
        expect_encoder_steps(options);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Calls visit(number, direction) for all numbers of the encoder's tables.
template <class Visit>
void visit_tables(WeightFile& file, const Visit& visit) {
  std::mt19937 random(5);
  for (WeightTensor& tensor : file.tensors) {
    if (!tensor.name.starts_with("encoder/")) continue;
    std::vector<double> numbers = numbers_of(file, tensor.name);
    for (double& number : numbers) visit(number, static_cast<double>(random() % 201) / 100 - 1);
    std::memcpy(tensor.data.data(), numbers.data(), tensor.data.size());
  }
}

// A step of sgd moves along a direction by the loss's derivative there, found by differences.
void expect_descent(const TripleTrainOptions& options) {
  const auto trainer = encoder_trainer(options);
  WeightFile before = *trainer->save();
  const auto loss_at = [&](double distance) {
    WeightFile moved = before;
    visit_tables(moved, [&](double& number, double by) { number += distance * by; });
    const auto other = encoder_trainer(options);
    EXPECT_TRUE(other->restore(moved));
    EXPECT_TRUE(other->step());
    return *other->epoch_loss();
  };
  ASSERT_TRUE(trainer->step());
  WeightFile after = *trainer->save();
  double along = 0;
  visit_tables(before, [&](double& number, double by) { along += number * by; });
  visit_tables(after, [&](double& number, double by) { along -= number * by; });
  const double slope = (loss_at(1e-6) - loss_at(-1e-6)) / 2e-6;
  EXPECT_GT(std::abs(slope), 1e-4);
  EXPECT_NEAR(along / options.schedule.base, slope, 1e-6 * (1 + std::abs(slope)));
}

TEST(EncoderTraining, StepsBelowEveryScoreGoDownItsLoss) {
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    TripleTrainOptions options = encoder_options(EncoderKind::Rgcn);
    options.model = info.model;
    options.batch_size = 0;  // all in one step
    options.negatives.filtered = true;
    options.regularizer = {0.01, 0.02, info.model == ScoreModel::TransH ? 0.1 : 0};
    options.dropout.entities = 0.2;
    options.encoder.edge_dropout = 0.2;
    options.loss.adversarial = 0;
    SCOPED_TRACE(info.name);
    expect_descent(options);
    options.negatives = {};
    options.negatives.count = 0;
    options.negatives.labels = true;
    options.encoder.leaves_scored_out = true;
    options.encoder.kind = EncoderKind::Rgat;
    options.encoder.bases = 0;
    expect_descent(options);
  }
  TripleTrainOptions options = encoder_options(EncoderKind::Hgt);
  options.batch_size = 0;
  options.model = ScoreModel::Formula;
  options.formula = "e.b: 1; r.M: dim x dim; dot(h, tanh(r.M @ t)) + h.b + t.b";
  options.encoder.heads = 1;  // a row of 5 numbers
  expect_descent(options);
}

TEST(EncoderTraining, StepsThatLeaveWhatTheyScoreOutAreThoseOfOneProgram) {
  for (const EncoderKind kind : kKinds) {
    for (const bool is_reciprocal : {false, true}) {
      TripleTrainOptions options = encoder_options(kind);
      options.encoder.leaves_scored_out = true;
      if (is_reciprocal) options.encoder.inverse = {1, 0, 2};
      SCOPED_TRACE(kg::text_of(kind));
      expect_encoder_steps(options);
    }
  }
}

TEST(EncoderTraining, DropoutLeavesItsShareOfEdgesOutInPairs) {
  const std::vector<Triple> triples = random_triples(100, 4, 5000, 1);
  const kg::MessageGraph graph =
      kg::make_message_graph(triples, 100, 4, {}, kg::EdgeOrder::ByTarget);
  kg::EncoderOptions options;
  options.edge_dropout = 0.3;
  kg::EdgeMask mask(graph, 4, options, 9);
  kg::BatchMaker maker(triples, 100, 4, {}, 10, 9);
  const auto draw = [&](std::uint64_t batch) {
    const auto keeps = mask.draw(maker.make(0, batch), maker);
    return std::vector<std::uint8_t>(keeps.begin(), keeps.end());
  };
  const std::vector<std::uint8_t> first = draw(0);
  const double left_out = static_cast<double>(std::ranges::count(first, 0)) / 10000;
  EXPECT_NEAR(left_out, 0.3, 5 * std::sqrt(0.3 * 0.7 / 5000));
  EXPECT_NE(draw(1), first);
  EXPECT_EQ(draw(0), first);
  std::map<std::array<std::uint32_t, 3>, std::uint8_t> by_triple;
  for (std::uint32_t e = 0; e < graph.edge_count(); ++e) {
    const bool is_reversed = graph.type[e] >= 4;
    const std::array<std::uint32_t, 3> triple{is_reversed ? graph.target[e] : graph.source[e],
                                              graph.type[e] % 4,
                                              is_reversed ? graph.source[e] : graph.target[e]};
    const auto [at, is_new] = by_triple.emplace(triple, first[e]);
    EXPECT_EQ(at->second, first[e]);
  }
}

TEST(EncoderTraining, QueriesWithAllAnswersLeaveAllOfThemOut) {
  const std::vector<Triple> triples{{0, 0, 1}, {0, 0, 2}, {3, 0, 1}};
  const kg::MessageGraph graph = kg::make_message_graph(triples, 4, 1, {}, kg::EdgeOrder::ByTarget);
  kg::EncoderOptions options;
  options.leaves_scored_out = true;
  kg::EdgeMask mask(graph, 1, options, 1);
  kg::NegativeOptions negatives;
  negatives.count = 0;
  negatives.labels = true;
  negatives.corruption = kg::Corruption::Tail;
  kg::BatchMaker maker(triples, 4, 1, negatives, 1, 1);
  for (std::uint64_t batch = 0; batch < maker.batch_count(); ++batch) {
    const kg::TrainingBatch made = maker.make(0, batch);
    const auto keeps = mask.draw(made, maker);
    for (std::uint32_t e = 0; e < graph.edge_count(); ++e) {
      const std::uint32_t head = graph.type[e] == 0 ? graph.source[e] : graph.target[e];
      EXPECT_EQ(keeps[e], head == made.queries.front().anchor ? 0 : 1);
    }
  }
}

TEST(EncoderTraining, CompiledStepsAreThoseOfOneProgram) {
  for (const EncoderKind kind : kKinds) {
    TripleTrainOptions options = encoder_options(kind);
    options.encoder_backend = "cpu";
    options.encoder.inverse = {1, 0, 2};
    options.encoder.leaves_scored_out = true;
    expect_encoder_steps(options);
  }
}

TEST(EncoderTraining, OnAGpuStepsAreThoseOfOneProgram) {
  const Device gpu{Device::Kind::Cuda, 0};
  const Result<void> available = find_backend("cuda")->available(gpu);
  if (!available) GTEST_SKIP() << available.error().text();
  for (const EncoderKind kind : kKinds) {
    TripleTrainOptions options = encoder_options(kind);
    options.encoder_backend = "cuda";
    options.encoder.layers = 1;
    options.encoder.widths = {6};
    options.encoder_device = gpu;
    options.encoder.leaves_scored_out = true;
    SCOPED_TRACE(kg::text_of(kind));
    expect_encoder_steps(options);
  }
}

TripleTrainOptions float_encoder_options(EncoderKind kind) {
  TripleTrainOptions options = encoder_options(kind);
  options.encoder_backend = "cpu";
  options.optimizer.optimizer = Optimizer::Adam;
  options.schedule.base = 0.01;
  options.model = ScoreModel::ComplEx;
  options.regularizer.n3 = 0.01;
  options.dropout.entities = 0.1;
  options.encoder.edge_dropout = 0.2;
  options.dtype = DType::F32;
  return options;
}

TEST(EncoderTraining, AnyNumberOfThreadsHasTheSameBits) {
  for (const EncoderKind kind : kKinds) {
    std::vector<WeightFile> files;
    for (const std::uint32_t threads : {1u, 2u, 3u}) {
      TripleTrainOptions options = float_encoder_options(kind);
      options.threads = threads;
      const auto trainer = encoder_trainer(options);
      ASSERT_TRUE(trainer->epochs(3));
      files.push_back(*trainer->save());
    }
    EXPECT_EQ(files[1].tensors, files[0].tensors);
    EXPECT_EQ(files[2].tensors, files[0].tensors);
    EXPECT_EQ(files[2].metadata, files[0].metadata);
  }
}

TEST(EncoderTraining, ATrainingGoesOnFromAFileToTheSameBits) {
  for (const EncoderKind kind : kKinds) {
    // The file is of the middle of an epoch.
    expect_same_bits_from_a_file(*encoder_trainer(float_encoder_options(kind)),
                                 *encoder_trainer(float_encoder_options(kind)), 4, 5);
  }
}

TEST(EncoderTraining, AFileOfAnotherEncoderIsRefused) {
  const WeightFile file = *encoder_trainer(float_encoder_options(EncoderKind::Rgcn))->save();
  const auto other = encoder_trainer(float_encoder_options(EncoderKind::Hgt));
  const WeightFile before = *other->save();
  const Result<void> restored = other->restore(file);
  ASSERT_FALSE(restored);
  EXPECT_NE(restored.error().text().find("is not in the checkpoint"), std::string::npos);
  EXPECT_EQ(other->save()->tensors, before.tensors);
}

TEST(EncoderTraining, TheLossFallsAndEmbeddingsAreOfTheTablesOfNow) {
  for (const EncoderKind kind : kKinds) {
    TripleTrainOptions options = float_encoder_options(kind);
    options.dim = 8;
    options.encoder.widths.clear();
    options.encoder_backend = "interpreter";
    options.dropout.entities = options.regularizer.n3 = 0;
    const auto trainer = encoder_trainer(options);
    const auto epochs = trainer->epochs(60);
    ASSERT_TRUE(epochs) << epochs.error().text();
    EXPECT_LT(epochs->back().loss, 0.8 * epochs->front().loss) << kg::text_of(kind);
    const WeightFile file = *trainer->save();
    const auto other = encoder_trainer(options);
    ASSERT_TRUE(other->restore(file));
    EXPECT_EQ(std::get<kg::EmbeddingTables<float>>(other->embeddings()->tables).entities,
              std::get<kg::EmbeddingTables<float>>(trainer->embeddings()->tables).entities);
  }
}

}  // namespace
}  // namespace vecc::test
