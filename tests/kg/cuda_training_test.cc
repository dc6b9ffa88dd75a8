// Trainings on a GPU, or on the emulated one, against those on the CPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>

#include "src/kg/query_formula.h"
#include "src/kg/train/cuda/cuda_triple_trainer.h"
#include "tests/kg/cuda_steps.h"
#include "tests/kg/random_embeddings.h"
#include "tests/kg/training_oracle.h"

namespace vecc::test {
namespace {

using kg::Corruption;
using kg::NegativeDraw;
using kg::ScoreModel;
using kg::TripleLoss;
using kg::TripleTrainOptions;

class CudaTripleTraining : public CudaTraining {};

TEST_F(CudaTripleTraining, EveryScoreWithALossAndAnOptimizerMakesTheStepsOfTheCpu) {
  const kg::TripleLossOptions losses[] = {
      {TripleLoss::Margin, 1, 0, 0},   {TripleLoss::Margin, 2, 0.7, 0},
      {TripleLoss::Logistic, 0, 0, 0}, {TripleLoss::Logistic, 1.5, 0.5, 0.1},
      {TripleLoss::Softmax, 0, 0, 0},  {TripleLoss::Softmax, 0, 0, 0.2},
  };
  const Optimizer optimizers[] = {Optimizer::Adagrad, Optimizer::LazyAdam, Optimizer::Sgd,
                                  Optimizer::Adam};
  std::size_t number = 0;
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    for (const std::uint32_t p : {1u, 2u}) {
      if (p == 2 && info.model != ScoreModel::TransE) continue;
      for (int i = 0; i < 2; ++i, ++number) {  // each loss and each optimizer several times
        TripleTrainOptions options = some_options();
        options.model = info.model;
        options.p = p;
        if (i == 1) options.dim = 8;  // rows are read by fours
        options.loss = losses[number % std::size(losses)];
        options.optimizer.optimizer = optimizers[number % std::size(optimizers)];
        // Signs of transe cancel to a rounding error, which steps divide by their epsilon.
        if (options.optimizer.optimizer != Optimizer::Sgd) options.optimizer.epsilon = 1e-4;
        SCOPED_TRACE(std::string(info.name) + " p " + std::to_string(p) + " " +
                     std::string(text_of(options.loss.loss)) + " " +
                     std::string(text_of(options.optimizer.optimizer)));
        expect_steps(options);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// By score: each is a test of its own, for they take their time.
class CudaTripleTrainingOf : public CudaTraining,
                             public testing::WithParamInterface<std::size_t> {};

// On the emulated GPU one of each score's twelve, another of each.
TEST_P(CudaTripleTrainingOf, EveryLossAndOptimizerMakesTheStepsOfItsProgram) {
  const kg::TripleLossOptions losses[] = {
      {TripleLoss::Margin, 1, 0, 0},
      {TripleLoss::Logistic, 1.5, 0.5, 0.1},
      {TripleLoss::Softmax, 0, 0, 0.2},
  };
  const Optimizer optimizers[] = {Optimizer::Adagrad, Optimizer::LazyAdam, Optimizer::Adam,
                                  Optimizer::Sgd};
  const std::size_t count = std::size(losses) * std::size(optimizers);
  const bool is_emulated = std::getenv("VECC_CUDA_DRIVER") != nullptr;
  const TripleTrainOptions of_score = of_each_score(some_options())[GetParam()];
  std::size_t number = 0;
  for_each_loss(of_score, losses, optimizers, [&](const TripleTrainOptions& options) {
    if (number++ != GetParam() % count && is_emulated) return;
    const Trainer cuda = on_cuda(options);
    ASSERT_NE(cuda, nullptr);
    expect_oracle_steps_of(*cuda, options, some_triples());
  });
}

INSTANTIATE_TEST_SUITE_P(EveryScore, CudaTripleTrainingOf,
                         testing::Range(std::size_t{0}, of_each_score(some_options()).size()),
                         [](const auto& score) {
                           return score_name(of_each_score(some_options())[score.param]);
                         });

TEST_F(CudaTripleTraining, EveryKindOfNegativesAndRegularizerMakesTheStepsOfTheCpu) {
  const kg::NegativeOptions kinds[] = {
      {7, 12, Corruption::Bernoulli, NegativeDraw::Uniform, false},
      {7, 5, Corruption::Head, NegativeDraw::Degree, true},
      {7, 26, Corruption::Tail, NegativeDraw::Uniform, true},
      {0, 12, Corruption::Both, NegativeDraw::Uniform, true},
      {0, 12, Corruption::Bernoulli, NegativeDraw::Uniform, false},
  };
  for (const ScoreModel model : {ScoreModel::ComplEx, ScoreModel::Rescal, ScoreModel::TransR}) {
    for (const kg::NegativeOptions& negatives : kinds) {
      TripleTrainOptions options = some_options();
      options.model = model;
      options.negatives = negatives;
      if (negatives.corruption != Corruption::Bernoulli) options.dim = 4;
      options.regularizer = {0.01, 0.02};
      options.loss.loss = negatives.count == 0 ? TripleLoss::Softmax : TripleLoss::Logistic;
      SCOPED_TRACE(std::string(kg::info_of(model).name) + " " +
                   std::string(text_of(negatives.corruption)) + " " +
                   std::to_string(negatives.count));
      expect_steps(options, 7);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaTripleTraining, QueriesWithAllAnswersMakeTheStepsOfTheCpu) {
  const kg::TripleLossOptions losses[] = {{TripleLoss::Logistic, 1.5, 0, 0.2},
                                          {TripleLoss::Softmax, 0, 0, 0},
                                          {TripleLoss::Softmax, 0, 0, 0.2}};
  const Corruption sides[] = {Corruption::Both, Corruption::Tail, Corruption::Head};
  std::size_t number = 0;
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    TripleTrainOptions options = labelled_options();
    options.model = info.model;
    options.p = info.model == ScoreModel::TransE ? 2 : 1;
    options.negatives.corruption = sides[number / 2 % 3];
    options.loss = losses[number % 3];
    options.optimizer.epsilon = 1e-4;
    options.regularizer = {0.01, 0.02, info.model == ScoreModel::TransH ? 0.25 : 0.0};
    if (number % 2 == 1) options.dropout.entities = 0.3;
    if (number % 4 < 2) options.dim = 8;
    ++number;
    SCOPED_TRACE(std::string(info.name) + " " + std::string(text_of(options.loss.loss)));
    expect_steps(options, 7);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(CudaTripleTraining, ConstraintsOfPlanesMakeTheStepsOfTheCpu) {
  for (const double scale : {0.5, 3.0}) {  // entities below and above the length 1
    TripleTrainOptions options = some_options();
    options.model = ScoreModel::TransH;
    options.initial_scale = scale;
    if (scale > 1) options.dim = 8;
    options.loss = {TripleLoss::Margin, 1, 0, 0};
    options.regularizer = {scale > 1 ? 0.01 : 0.0, 0, 0.25};
    expect_steps(options, 7);
  }
}

TEST_F(CudaTripleTraining, DropoutMakesTheStepsOfTheCpu) {
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    for (const bool all : {false, true}) {
      TripleTrainOptions options = some_options();
      options.model = info.model;
      options.dim = all ? 6 : 8;
      if (all) options.negatives.count = 0;
      options.loss.loss = all ? TripleLoss::Softmax : TripleLoss::Logistic;
      options.regularizer = {0.01, 0.02};
      options.optimizer.epsilon = 1e-4;
      const bool of_entities = info.model == ScoreModel::RotatE || kg::projects_answers(info.model);
      options.dropout = {0.4267, of_entities ? 0 : 0.3};
      if (all && !of_entities) options.dropout.entities = 0;
      SCOPED_TRACE(std::string(info.name) + (all ? " all" : ""));
      expect_steps(options, 5);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Several tiles of everything, of which the last are not whole; sorted runs that are merged.
TEST_F(CudaTripleTraining, LargeStepsAreThoseOfTheCpu) {
  for (const ScoreModel model : {ScoreModel::TransE, ScoreModel::TransH, ScoreModel::TransR,
                                 ScoreModel::RotatE, ScoreModel::Rescal}) {
    TripleTrainOptions options = some_options();
    options.model = model;
    options.dim = model == ScoreModel::RotatE ? 35 : model == ScoreModel::Rescal ? 131 : 67;
    options.negatives = {model == ScoreModel::TransE ? 530u : 45u, 37};
    options.batch_size = 0;
    options.optimizer.epsilon = 1e-4;
    if (model != ScoreModel::TransE) options.dropout.entities = 0.2;
    if (model == ScoreModel::Rescal) options.dropout.relations = 0.2;
    SCOPED_TRACE(kg::info_of(model).name);
    expect_steps(options, 2);
    options.dtype = DType::F32;
    options.optimizer.epsilon = 1e-2;
    expect_steps(options, 2);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Derivatives of several parts by both sides, and of more than are kept apart.
TEST_F(CudaTripleTraining, ChunksOfManyQueriesMakeTheStepsOfTheCpu) {
  const std::vector<kg::Triple> triples = random_triples(60, 4, 530, 9);
  for (const ScoreModel model : {ScoreModel::TransE, ScoreModel::TransH, ScoreModel::TransR,
                                 ScoreModel::Rescal, ScoreModel::ComplEx, ScoreModel::RotatE}) {
    for (const std::uint32_t chunk : {150u, 530u}) {
      TripleTrainOptions options = some_options();
      options.model = model;
      options.dim = chunk == 150 ? 37 : 6;
      options.negatives = {chunk == 150 ? 133u : 5u, chunk, Corruption::Tail};
      options.batch_size = chunk == 150 ? 170 : 0;
      options.optimizer.epsilon = 1e-4;
      SCOPED_TRACE(std::string(kg::info_of(model).name) + " " + std::to_string(chunk));
      expect_steps_of(triples, 60, 4, options, 2);
      options.dtype = DType::F32;
      options.optimizer.epsilon = 1e-2;
      if (chunk == 150) expect_steps_of(triples, 60, 4, options, 2);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Parts of matrices of other heights and several parts side by side, rows that are read by fours.
TEST_F(CudaTripleTraining, MatricesOfSeveralPartsMakeTheStepsOfTheCpu) {
  for (const ScoreModel model : {ScoreModel::TransR, ScoreModel::Rescal}) {
    for (const std::uint32_t dim : {64u, 80u, 300u}) {
      TripleTrainOptions options = some_options();
      options.model = model;
      options.dim = dim;
      options.negatives = {dim == 80 ? 70u : 9u, 26};
      options.optimizer.optimizer = dim == 64 ? Optimizer::Adam : Optimizer::Adagrad;
      options.optimizer.epsilon = 1e-4;
      options.initial_scale = 0.3;
      SCOPED_TRACE(std::string(kg::info_of(model).name) + " " + std::to_string(dim));
      expect_steps(options, 2);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Relations that one query of a batch has, some of a tile's, a whole tile and more; vectors that
// shared memory has in one part and in several.
TEST_F(CudaTripleTraining, RelationsOfFewAndOfManyQueriesMakeTheStepsOfTheCpu) {
  constexpr std::uint32_t kEntities = 30;
  const std::uint32_t counts[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33};
  std::vector<kg::Triple> triples;
  for (std::uint32_t relation = 0; relation < std::size(counts); ++relation) {
    for (std::uint32_t i = 0; i < counts[relation]; ++i) {
      triples.push_back({(7 * i + relation) % kEntities, relation, (i / 3 + 11) % kEntities});
    }
  }
  for (const ScoreModel model : {ScoreModel::TransR, ScoreModel::Rescal}) {
    for (const std::uint32_t dim : {37u, 520u}) {
      TripleTrainOptions options = some_options();
      options.model = model;
      options.dim = dim;
      options.batch_size = 0;
      options.negatives = {5, 40};
      options.dtype = dim == 37 ? DType::F64 : DType::F32;
      options.optimizer.epsilon = dim == 37 ? 1e-4 : 1e-2;
      options.initial_scale = 0.3;
      SCOPED_TRACE(std::string(kg::info_of(model).name) + " " + std::to_string(dim));
      expect_steps_of(triples, kEntities, std::size(counts), options, 2);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// transr by tensor cores, and rescal: relations that no query asks move too (adam), weights are
// regularized, numbers of entities are left out.
TEST_F(CudaTripleTraining, MatricesOfEveryKindOfStepMakeTheStepsOfTheCpu) {
  for (const ScoreModel model : {ScoreModel::TransR, ScoreModel::Rescal}) {
    for (const int kind : {0, 1, 2, 3}) {
      TripleTrainOptions options = kind == 1 ? labelled_options() : some_options();
      options.model = model;
      options.dtype = DType::F32;
      options.dim = kind == 0 ? 36 : 9;
      options.optimizer.optimizer = kind == 0 ? Optimizer::Adam : Optimizer::LazyAdam;
      options.optimizer.epsilon = 1e-2;
      options.regularizer = {0.01, 0.02};
      if (kind == 2) options.dropout.entities = 0.3;
      if (kind == 3) options.negatives.corruption = Corruption::Bernoulli;
      SCOPED_TRACE(std::string(kg::info_of(model).name) + " " + std::to_string(kind));
      expect_steps(options, 3);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// More of them than a block lists at once; in one chunk too, whose groups blocks share.
TEST_F(CudaTripleTraining, ManyGroupsOfNegativesMakeTheStepsOfTheCpu) {
  constexpr std::uint32_t kRelations = 40;
  const std::vector<kg::Triple> triples = random_triples(50, kRelations, 270, 3);
  for (const std::uint32_t chunk : {1u, 270u}) {
    for (const DType dtype : {DType::F64, DType::F32}) {
      TripleTrainOptions options = some_options();
      options.model = ScoreModel::TransR;
      options.dim = 4;
      options.negatives = {3, chunk};
      options.batch_size = 0;
      options.dtype = dtype;
      options.optimizer.epsilon = dtype == DType::F64 ? 1e-4 : 1e-2;
      SCOPED_TRACE(std::to_string(chunk) + (dtype == DType::F64 ? " f64" : " f32"));
      expect_steps_of(triples, 50, kRelations, options, 2);
    }
  }
}

void expect_products(ScoreModel model, std::uint32_t dim, std::uint32_t negatives) {
  const std::vector<kg::Triple> triples = random_triples(60, 4, 150, 9);
  TripleTrainOptions options = some_options();
  options.model = model;
  options.dim = dim;
  options.negatives = {negatives, 70, Corruption::Tail};
  options.batch_size = 0;
  options.optimizer.optimizer = Optimizer::Sgd;
  options.schedule.base = 30;
  options.initial_scale = 0.5;
  options.dtype = DType::F32;
  SCOPED_TRACE(std::string(kg::info_of(model).name) + " " + std::to_string(dim));
  expect_steps_of(triples, 60, 4, options, 2, 4e-6);
}

// Tensor cores multiply f32 numbers as if they were no narrower: rounded to TF32 alone, losses
// would be 1e-5 off after such steps. Tiles that are whole and not, sides of one and several.
TEST_F(CudaTripleTraining, ProductsOfTensorCoresAreThoseOfF32) {
  for (const ScoreModel model : {ScoreModel::DistMult, ScoreModel::ComplEx, ScoreModel::TransH,
                                 ScoreModel::TransR, ScoreModel::Rescal}) {
    expect_products(model, 70, 37);
    expect_products(model, 96, 80);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_products(ScoreModel::DistMult, 8, 2200);  // enough scores for large tiles
  expect_products(ScoreModel::TransR, 260, 70);  // images, matrices and negatives of several parts
}

void expect_repeats(TripleTrainOptions options, ScoreModel model) {
  options.model = model;
  options.dtype = DType::F32;
  options.optimizer.optimizer = Optimizer::LazyAdam;
  const Trainer whole = on_cuda(options);
  const Trainer other = on_cuda(options);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(whole->step());  // in the middle of an epoch
  const WeightFile file = *whole->save();
  ASSERT_TRUE(other->epochs(1));
  const Trainer resumed = on_cuda(options);
  const Result<void> restored = resumed->restore(file);
  ASSERT_TRUE(restored) << restored.error().text();
  EXPECT_EQ(resumed->position(), whole->position());
  while (whole->position().epoch < 3) {
    ASSERT_TRUE(whole->step());
    ASSERT_TRUE(resumed->step());
  }
  ASSERT_TRUE(other->epochs(2));
  EXPECT_EQ(resumed->save()->tensors, whole->save()->tensors);
  EXPECT_EQ(other->save()->tensors, whole->save()->tensors);
  EXPECT_EQ(*resumed->epoch_loss(), *whole->epoch_loss());
  // A file of the CPU's training, too.
  const Trainer cpu = on_cpu(options);
  ASSERT_TRUE(cpu->restore(file));
  EXPECT_EQ(cpu->position().step, 4u);
}

TEST_F(CudaTripleTraining, RepeatsBitByBitAndGoesOnFromAFile) {
  expect_repeats(some_options(), ScoreModel::RotatE);
  expect_repeats(labelled_options(), ScoreModel::RotatE);
  expect_repeats(some_options(), ScoreModel::TransR);
}

void expect_stops_where_not_finite(const TripleTrainOptions& options) {
  const Trainer good = on_cuda(options);
  ASSERT_TRUE(good->step());
  WeightFile file = *good->save();
  for (WeightTensor& tensor : file.tensors) {
    if (tensor.name != "r") continue;
    const auto fill = [&](auto large) {
      for (std::size_t at = 0; at < tensor.data.size(); at += sizeof large) {
        std::memcpy(tensor.data.data() + at, &large, sizeof large);
      }
    };
    options.dtype == DType::F64 ? fill(1e308) : fill(3e38F);
  }
  const Trainer trainer = on_cuda(options);
  ASSERT_TRUE(trainer->restore(file));
  ASSERT_TRUE(trainer->step());
  ASSERT_TRUE(trainer->step());  // does not wait for the first
  const Result<double> loss = trainer->epoch_loss();
  ASSERT_FALSE(loss);
  EXPECT_EQ(loss.error().list().front().code, ErrorCode::NonFinite);
  EXPECT_EQ(loss.error().list().front().place, "epoch 1, batch 2");
  EXPECT_EQ(trainer->position(), (TrainPosition{0, 1, 1}));
  const Result<WeightFile> after = trainer->save();
  ASSERT_TRUE(after) << after.error().text();
  EXPECT_EQ(after->tensors, file.tensors);
  const auto found = trainer->find_non_finite(*good->save());
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(CudaTripleTraining, ALossThatIsNotFiniteMovesNothingFromItsStepOn) {
  expect_stops_where_not_finite(some_options());
  TripleTrainOptions options = some_options();
  options.dtype = DType::F32;  // by tensor cores
  expect_stops_where_not_finite(options);
  expect_stops_where_not_finite(labelled_options());
}

// The least that is enough has all tables on the host, more has some there: every bit is the same,
// also of a training that goes on from another's weights and states.
TEST_F(CudaTripleTraining, TablesInTheHostsMemoryHaveTheSameBits) {
  constexpr int kSteps = 8;
  const std::tuple<ScoreModel, std::uint32_t, DType> kinds[] = {
      {ScoreModel::DistMult, 4, DType::F64}, {ScoreModel::TransR, 4, DType::F64},
      {ScoreModel::TransR, 4, DType::F32},   {ScoreModel::TransR, 5, DType::F32},
      {ScoreModel::Rescal, 4, DType::F64},
  };
  for (const auto& [model, dim, dtype] : kinds) {
    TripleTrainOptions options = some_options();
    options.model = model;
    options.dim = dim;
    options.dtype = dtype;
    options.optimizer.optimizer = Optimizer::LazyAdam;
    SCOPED_TRACE(std::string(kg::info_of(model).name) + " " + std::to_string(dim));
    const auto run = [&](int steps, const WeightFile* from) {
      const Trainer trainer = on_cuda(options);
      if (from != nullptr) {
        EXPECT_TRUE(trainer->restore(*from));
      }
      for (int i = 0; i < steps; ++i) EXPECT_TRUE(trainer->step());
      return *trainer->save();
    };
    const WeightFile expected = run(kSteps, nullptr);
    const auto is_enough = [&](std::uint64_t bytes) {
      TripleTrainOptions less = options;
      less.device_bytes = bytes;
      return static_cast<bool>(
          kg::make_cuda_triple_trainer(some_triples(), kNodes, kLinks, less, 0));
    };
    std::uint64_t refused = 0;
    for (std::uint64_t step = std::uint64_t{1} << 24; step > 0; step /= 2) {
      if (!is_enough(refused + step)) refused += step;
    }
    const std::uint64_t table = kNodes * options.dim * sizeof(double);
    for (const std::uint64_t limit : {refused + 1, refused + 1 + table, refused + 1 + 2 * table}) {
      options.device_bytes = limit;
      EXPECT_EQ(run(kSteps, nullptr).tensors, expected.tensors) << limit;
    }
    options.device_bytes = refused + 1;
    const WeightFile half = run(kSteps / 2, nullptr);
    EXPECT_EQ(run(kSteps / 2, &half).tensors, expected.tensors);
  }
}

TEST_F(CudaTripleTraining, WhatAGpuCannotHoldIsRefusedBeforeTheFirstStep) {
  const auto expect_refused = [](const TripleTrainOptions& options, const std::string& words) {
    const auto trainer = kg::make_cuda_triple_trainer(some_triples(), kNodes, kLinks, options, 0);
    ASSERT_FALSE(trainer);
    EXPECT_NE(trainer.error().text().find(words), std::string::npos) << trainer.error().text();
  };
  TripleTrainOptions options = some_options();
  options.dim = 1 << 30;
  expect_refused(options, "--backend=cpu uses the host's memory");
  options = some_options();
  options.negatives = {1u << 30, 1};
  expect_refused(options, "the limit is 2^30 - 1");
  options.negatives = {(1u << 30) - 1, 1};
  expect_refused(options, "the limit is 2^31 - 2");
  options = some_options();
  options.device_bytes = 1000;
  expect_refused(options, "of tables in the host's memory, it has 1000 B; a smaller --batch-size");
}

}  // namespace
}  // namespace vecc::test
