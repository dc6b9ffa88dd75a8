// Steps of a training against plain definitions, and the same bits whatever runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "src/kg/query_formula.h"
#include "tests/kg/random_embeddings.h"
#include "tests/kg/training_oracle.h"
#include "tests/kg/trainings.h"

namespace vecc::test {
namespace {

using kg::Corruption;
using kg::NegativeDraw;
using kg::ScoreModel;
using kg::Triple;
using kg::TripleLoss;
using kg::TripleTrainOptions;

constexpr std::uint32_t kEntities = 9;
constexpr std::uint32_t kRelations = 3;

TripleTrainOptions small_options() {
  TripleTrainOptions o;
  o.model = ScoreModel::DistMult;
  o.dim = 3;
  o.negatives = {4, 3};
  o.optimizer.optimizer = Optimizer::Adagrad;
  o.schedule.base = 0.05;
  o.batch_size = 7;  // of 17: the last batch has 3
  o.seed = 11;
  o.dtype = DType::F64;
  return o;
}

std::vector<Triple> small_triples() {
  std::vector<Triple> triples = random_triples(kEntities - 1, kRelations - 1, 16, 3);
  triples.push_back({0, kRelations - 1, 1});  // of its relation the only one; entity 8 has none
  return triples;
}

std::unique_ptr<kg::TripleTrainer> trainer_of(const TripleTrainOptions& options,
                                              const std::vector<Triple>& triples) {
  auto trainer = kg::make_triple_trainer(triples, kEntities, kRelations, options);
  EXPECT_TRUE(trainer) << trainer.error().text();
  return std::move(*trainer);
}

void expect_small_steps(const TripleTrainOptions& options) {
  expect_oracle_steps(options, small_triples(), kEntities, kRelations);
}

TEST(TripleTraining, EveryScoreLossAndOptimizerMakesTheStepsOfItsDefinition) {
  const kg::TripleLossOptions losses[] = {
      {TripleLoss::Margin, 1, 0, 0},   {TripleLoss::Margin, 2, 0.7, 0},
      {TripleLoss::Logistic, 0, 0, 0}, {TripleLoss::Logistic, 1.5, 0.5, 0.1},
      {TripleLoss::Softmax, 0, 0, 0},  {TripleLoss::Softmax, 0, 0, 0.2},
  };
  const Optimizer optimizers[] = {Optimizer::Adagrad, Optimizer::LazyAdam, Optimizer::Adam,
                                  Optimizer::Sgd};
  for_each_training(small_options(), losses, optimizers, expect_small_steps);
}

TEST(TripleTraining, EveryKindOfNegativesAndRegularizerMakesTheStepsOfItsDefinition) {
  for (const std::uint32_t count : {5u, 0u}) {
    for (const Corruption corruption :
         {Corruption::Both, Corruption::Head, Corruption::Tail, Corruption::Bernoulli}) {
      for (const NegativeDraw draw : {NegativeDraw::Uniform, NegativeDraw::Degree}) {
        for (const bool filtered : {false, true}) {
          TripleTrainOptions options = small_options();
          options.model = ScoreModel::ComplEx;
          options.negatives = {count, 3, corruption, draw, filtered};
          options.regularizer = {0.01, 0.02};
          options.dim = 17;  // complex numbers: more than a register
          expect_small_steps(options);
          options.model = ScoreModel::RotatE;
          options.loss.loss = TripleLoss::Softmax;
          expect_small_steps(options);
        }
      }
    }
  }
}

// Of uniform draws a step's program has a `draw`, with the training's keys, and knows the answers.
TEST(TripleTraining, AProgramDrawsItsNegativesItself) {
  for (const Corruption corruption :
       {Corruption::Both, Corruption::Tail, Corruption::Head, Corruption::Bernoulli}) {
    for (const Optimizer optimizer : {Optimizer::Adagrad, Optimizer::LazyAdam}) {
      TripleTrainOptions options = small_options();
      options.negatives = {5, 3, corruption};
      options.loss = {TripleLoss::Logistic, 1.5, 0.5, 0.1};
      options.optimizer.optimizer = optimizer;
      for (const bool optimizes : {false, true}) {
        expect_oracle_steps(options, small_triples(), kEntities, kRelations,
                            {kg::StepNegatives::Drawn, optimizes});
      }
    }
  }
}

TEST(TripleTraining, AnOptimizedProgramMakesTheSameSteps) {
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    TripleTrainOptions options = small_options();
    options.model = info.model;
    options.negatives = {5, 3, Corruption::Bernoulli, NegativeDraw::Degree, true};
    options.loss = {TripleLoss::Margin, 2, 0.7, 0};
    options.regularizer = {0.01, 0.02};
    options.dropout.entities = 0.3;
    options.optimizer.epsilon = 1e-4;
    SCOPED_TRACE(info.name);
    expect_oracle_steps(options, small_triples(), kEntities, kRelations,
                        {kg::StepNegatives::Given, true});
  }
}

// As kernels, whose sums are in another order.
TEST(TripleTraining, TheCpuBackendRunsStepsAsPrograms) {
  for (const ScoreModel model : {ScoreModel::TransE, ScoreModel::DistMult, ScoreModel::ComplEx}) {
    for (const Optimizer optimizer : {Optimizer::Adagrad, Optimizer::LazyAdam, Optimizer::Adam}) {
      TripleTrainOptions options = small_options();
      options.model = model;
      options.p = 2;
      options.negatives = {5, 3, Corruption::Bernoulli};
      options.loss = {TripleLoss::Margin, 2, 0.7, 0};
      options.optimizer.optimizer = optimizer;
      options.optimizer.epsilon = 1e-4;
      SCOPED_TRACE(std::string(kg::info_of(model).name) + " " + std::string(text_of(optimizer)));
      const bool draws = optimizer != Optimizer::Adam;
      expect_oracle_steps(
          options, small_triples(), kEntities, kRelations,
          {draws ? kg::StepNegatives::Drawn : kg::StepNegatives::Given, true, "cpu"});
    }
  }
}

// Parameters of entities, relations and one for all triples.
TEST(TripleTraining, FormulasMakeTheStepsOfTheirDefinition) {
  for (const std::string text :
       {"e.b: 1; r.w: dim; b: 1\nsum(tanh(h * r * t)) + h.b * t.b - norm1(r.w * (h - t)) + b",
        "W: dim*dim x relation_dim\nM = reshape[dim x dim](W @ r)\ndot(h, M @ t)"}) {
    for (const Optimizer optimizer : {Optimizer::Adagrad, Optimizer::Adam, Optimizer::Sgd}) {
      TripleTrainOptions options = small_options();
      options.model = ScoreModel::Formula;
      options.formula = text;
      options.relation_dim = 2;
      options.interpret = true;
      if (text.find("r.w") != std::string::npos) options.relation_dim = 3;
      options.regularizer = {0.01, 0.02};
      options.optimizer.optimizer = optimizer;
      if (optimizer != Optimizer::Sgd) options.optimizer.epsilon = 1e-4;
      SCOPED_TRACE(text + " " + std::string(text_of(optimizer)));
      expect_small_steps(options);
    }
  }
}

TEST(TripleTraining, WhatIsNoProgramIsRefused) {
  const auto expect_refused = [](const TripleTrainOptions& options, const std::string& words) {
    kg::BatchMaker maker(small_triples(), kEntities, kRelations, options.negatives,
                         options.batch_size, options.seed);
    const auto made = kg::make_step_program(options, kEntities, kRelations, maker.make(0, 0), maker,
                                            kg::StepNegatives::Drawn);
    ASSERT_FALSE(made) << words;
    EXPECT_NE(made.error().text().find(words), std::string::npos) << made.error().text();
  };
  TripleTrainOptions options = small_options();
  options.encoder.kind = kg::EncoderKind::Rgcn;
  expect_refused(options, "--encoder: error: is a program by itself");
  options = small_options();
  options.negatives.count = 0;
  expect_refused(options, "--negatives: error: draws none");
  options = small_options();
  options.negatives.draw = NegativeDraw::Degree;
  expect_refused(options, "--draw: error: is by degree");
  options = small_options();
  options.negatives.filtered = true;
  expect_refused(options, "--filtered: error: asks which triples are known");
}

// Settings of optimizers that are no defaults.
TEST(TripleTraining, OptimizersOfOtherSettingsMakeTheStepsOfTheirDefinition) {
  TripleTrainOptions options = small_options();
  options.optimizer.lr_decay = 0.1;
  options.optimizer.initial_accumulator_value = 0.3;
  expect_small_steps(options);
  for (const Optimizer optimizer : {Optimizer::LazyAdam, Optimizer::Adam}) {
    options = small_options();
    options.optimizer.optimizer = optimizer;
    options.optimizer.beta1 = 0.7;
    options.optimizer.beta2 = 0.9;
    options.optimizer.epsilon = 1e-4;
    expect_small_steps(options);
  }
}

void expect_too_large(const TripleTrainOptions& options, std::uint32_t entities,
                      const kg::TrainingBatch& batch, const std::string& place,
                      const std::string& words) {
  const kg::BatchMaker maker(small_triples(), kEntities, kRelations, options.negatives,
                             options.batch_size, options.seed);
  const auto made = kg::make_step_program(options, entities, kRelations, batch, maker);
  ASSERT_FALSE(made) << words;
  const Diagnostic& error = made.error().list().front();
  EXPECT_EQ(error.code, ErrorCode::LimitRows);
  EXPECT_EQ(error.place, place);
  EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
}

TEST(TripleTraining, WhatIsTooLargeForAProgramIsRefused) {
  TripleTrainOptions options = small_options();
  kg::BatchMaker maker(small_triples(), kEntities, kRelations, options.negatives,
                       options.batch_size, options.seed);
  const kg::TrainingBatch small = maker.make(0, 0);
  constexpr std::uint32_t kMostInFloat = 1u << 24;
  EXPECT_TRUE(kg::make_step_program(options, kMostInFloat + 1, kRelations, small, maker));
  options.dtype = DType::F32;
  EXPECT_TRUE(kg::make_step_program(options, kMostInFloat, kRelations, small, maker));
  expect_too_large(options, kMostInFloat + 1, small, "--dtype=f32",
                   "tells 2^24 rows apart, found 16777217; f64 tells all");
  kg::TrainingBatch large = small;
  large.queries.resize(4);
  large.negative_count = (1u << 20) + 1;
  expect_too_large(options, kEntities, large, "--batch-size, --negatives",
                   "make 4194308 pairs of a query and a negative a step, of which a program has at "
                   "most 2^22");
  options.dropout.entities = 0.5;
  options.dim = 1 << 20;
  expect_too_large(options, kEntities, small, "--batch-size, --negatives, --dim",
                   "factors of dropout a step, of which a program has at most 2^24");
  options.dropout = {0, 0.5};
  options.dim = 1 << 22;
  expect_too_large(options, kEntities, small, "--batch-size, --negatives, --dim",
                   "factors of dropout a step, of which a program has at most 2^24");
}

TEST(TripleTraining, AProgramDrawsFromTheStepOfItsBatchOn) {
  const TripleTrainOptions options = small_options();
  kg::BatchMaker maker(small_triples(), kEntities, kRelations, options.negatives,
                       options.batch_size, options.seed);
  const kg::TrainingBatch batch = maker.make(1, 2);
  ASSERT_GT(batch.step, 2u);
  const auto made =
      kg::make_step_program(options, kEntities, kRelations, batch, maker, kg::StepNegatives::Drawn);
  ASSERT_TRUE(made) << made.error().text();
  double first = -1;
  for (const Op& op : made->program.ops()) {
    const auto* state = std::get_if<StateOp>(&op.attributes);
    if (state != nullptr && state->name == "step") first = state->initial;
  }
  EXPECT_EQ(first, static_cast<double>(batch.step));
}

TEST(TripleTraining, DropoutMakesTheStepsOfItsDefinition) {
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    for (const std::uint32_t count : {5u, 0u}) {
      TripleTrainOptions options = small_options();
      options.model = info.model;
      options.dim = 6;
      options.negatives.count = count;
      options.loss.loss = count == 0 ? TripleLoss::Softmax : TripleLoss::Logistic;
      options.regularizer = {0.01, 0.02};  // of whole rows
      options.optimizer.epsilon = 1e-4;
      const bool is_angle = info.model == ScoreModel::RotatE;
      options.dropout = {0.4267, is_angle || kg::projects_answers(info.model) ? 0 : 0.3};
      SCOPED_TRACE(std::string(info.name) + " " + std::to_string(count));
      expect_small_steps(options);
      options.dropout.entities = 0;
      options.optimizer.optimizer = Optimizer::LazyAdam;
      expect_small_steps(options);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(TripleTraining, ConstraintsOfPlanesMakeTheStepsOfTheirDefinition) {
  for (const double scale : {0.5, 3.0}) {  // entities below and above the length 1
    for (const std::uint32_t count : {5u, 0u}) {
      TripleTrainOptions options = small_options();
      options.model = ScoreModel::TransH;
      options.dim = 19;  // more than a register
      options.initial_scale = scale;
      options.negatives.count = count;
      options.loss = {TripleLoss::Margin, 1, 0, 0};
      options.regularizer = {0.01, 0.02, 0.25};
      expect_small_steps(options);
    }
  }
}

// They are in their planes, at any angle.
TEST(TripleTraining, ConstraintsOfRelationsOfNoLengthMakeTheStepsOfTheirDefinition) {
  for (const Optimizer optimizer : {Optimizer::Adagrad, Optimizer::Sgd}) {
    TripleTrainOptions options = small_options();
    options.model = ScoreModel::TransH;
    options.loss = {TripleLoss::Margin, 1, 0, 0};
    options.regularizer.constraints = 0.5;
    options.optimizer.optimizer = optimizer;
    const auto trainer = trainer_of(options, small_triples());
    WeightFile file = *trainer->save();
    const auto r = std::ranges::find(file.tensors, "r", &WeightTensor::name);
    ASSERT_NE(r, file.tensors.end());
    std::ranges::fill(r->data, 0);
    ASSERT_TRUE(trainer->restore(file));
    expect_oracle_steps_of(*trainer, options, small_triples());
  }
}

TEST(TripleTraining, MatricesOfManyNegativesMakeTheStepsOfTheirDefinition) {
  for (const std::uint32_t count : {150u, 0u}) {  // more than a task's panels
    TripleTrainOptions options = small_options();
    options.model = ScoreModel::TransR;
    options.dim = 11;
    options.negatives = {count, 100, Corruption::Bernoulli, NegativeDraw::Degree, true};
    options.regularizer = {0.01, 0.02};
    expect_small_steps(options);
  }
}

TEST(TripleTraining, PlanesAndMatricesBeginAsTheirPapersSay) {
  TripleTrainOptions options = small_options();
  options.model = ScoreModel::TransH;
  const kg::Embeddings planes = *trainer_of(options, small_triples())->embeddings();
  const auto& normals = std::get<kg::EmbeddingTables<double>>(planes.tables).normals;
  ASSERT_EQ(normals.size(), kRelations * options.dim);
  for (std::size_t i = 0; i < kRelations; ++i) {
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) square += normals[3 * i + k] * normals[3 * i + k];
    EXPECT_NEAR(square, 1, 1e-12);
  }
  options.model = ScoreModel::TransR;
  const kg::Embeddings spaces = *trainer_of(options, small_triples())->embeddings();
  const auto& matrices = std::get<kg::EmbeddingTables<double>>(spaces.tables).matrices;
  ASSERT_EQ(matrices.size(), kRelations * 9u);
  for (std::size_t i = 0; i < matrices.size(); ++i) EXPECT_EQ(matrices[i], i % 9 % 4 == 0 ? 1 : 0);
}

TEST(TripleTraining, DropoutIsOfTheDrawsOfItsNumbers) {
  const std::vector<double> ones(150, 1);  // more than two blocks of draws
  const std::uint64_t step = 0x987654321;
  const kg::RowDropout<double> dropout(0.3, kg::DrawStream::RelationDropout, 0x123456789ABCDEF,
                                       step);
  const kg::Draws draws(0x123456789ABCDEF, kg::DrawStream::RelationDropout, step);
  for (const std::uint64_t slot : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFF}}) {
    std::vector<double> found(ones.size());
    dropout.apply(slot, ones.data(), ones.size(), found.data());
    for (std::size_t k = 0; k < ones.size(); ++k) {
      const std::uint64_t bits = draws.bits(slot * 38 + k / 4) >> (16 * (k % 4)) & 0xFFFF;
      EXPECT_EQ(found[k] == 0, bits < 19661) << k;  // 0.3 of 2^16
    }
  }
}

TEST(TripleTraining, DropoutLeavesItsShareOutAndKeepsTheMean) {
  const std::vector<double> ones(1000, 1);
  std::vector<double> found(ones.size());
  double sum = 0;
  double zeros = 0;
  for (std::uint64_t step = 0; step < 10; ++step) {
    const kg::RowDropout<double> dropout(0.3, kg::DrawStream::EntityDropout, 7, step);
    for (std::uint64_t slot = 0; slot < 100; ++slot) {
      dropout.apply(slot, ones.data(), ones.size(), found.data());
      for (const double x : found) {
        sum += x;
        zeros += x == 0 ? 1 : 0;
      }
    }
  }
  EXPECT_NEAR(zeros / 1e6, 0.3, 5 * std::sqrt(0.3 * 0.7 / 1e6));
  EXPECT_NEAR(sum / 1e6, 1, 5 * std::sqrt(0.3 / 0.7 / 1e6));
}

TEST(TripleTraining, ABatchLargerThanTheSetIsTheSet) {
  TripleTrainOptions options = small_options();
  options.batch_size = 1000;
  options.negatives.chunk = 500;
  EXPECT_EQ(trainer_of(options, small_triples())->batch_count(), 1u);
  expect_small_steps(options);
}

TripleTrainOptions large_options() {
  TripleTrainOptions options = small_options();
  options.model = ScoreModel::RotatE;
  options.dim = 37;
  options.loss = {TripleLoss::Logistic, 2, 0.5, 0};
  options.dropout.entities = 0.2;
  options.dtype = DType::F32;
  return options;
}

void expect_same_bits_by_threads(TripleTrainOptions options) {
  std::vector<WeightFile> files;
  for (const std::uint32_t threads : {1u, 2u, 3u, 8u}) {
    options.threads = threads;
    const auto trainer = trainer_of(options, small_triples());
    ASSERT_TRUE(trainer->epochs(4));
    files.push_back(*trainer->save());
  }
  for (const WeightFile& file : files) {
    EXPECT_EQ(file.tensors, files.front().tensors);
    EXPECT_EQ(file.metadata, files.front().metadata);
  }
  options.seed = 12;
  const auto other = trainer_of(options, small_triples());
  ASSERT_TRUE(other->epochs(4));
  EXPECT_NE(other->save()->tensors, files.front().tensors);
}

TEST(TripleTraining, AnyNumberOfThreadsHasTheSameBits) {
  TripleTrainOptions options = large_options();
  expect_same_bits_by_threads(options);
  for (const ScoreModel model : {ScoreModel::TransH, ScoreModel::TransR}) {
    options.model = model;
    expect_same_bits_by_threads(options);
  }
}

TEST(TripleTraining, ATrainingGoesOnFromAFileToTheSameBits) {
  const std::pair<Optimizer, ScoreModel> kinds[] = {{Optimizer::Adagrad, ScoreModel::RotatE},
                                                    {Optimizer::LazyAdam, ScoreModel::TransH},
                                                    {Optimizer::Adagrad, ScoreModel::TransR},
                                                    {Optimizer::Sgd, ScoreModel::RotatE}};
  for (const auto& [optimizer, model] : kinds) {
    TripleTrainOptions options = large_options();
    options.model = model;
    options.optimizer.optimizer = optimizer;
    // The file is of the middle of an epoch.
    expect_same_bits_from_a_file(*trainer_of(options, small_triples()),
                                 *trainer_of(options, small_triples()), 4, 6);
  }
}

TEST(TripleTraining, AFileOfAnotherTrainingIsRefused) {
  const auto trainer = trainer_of(large_options(), small_triples());
  WeightFile file = *trainer->save();
  TripleTrainOptions other = large_options();
  other.dim = 36;
  EXPECT_FALSE(trainer_of(other, small_triples())->restore(file));
  other = large_options();
  other.optimizer.optimizer = Optimizer::Adam;
  EXPECT_FALSE(trainer_of(other, small_triples())->restore(file));
  for (auto& [key, value] : file.metadata) {
    if (key == "step") value = "3";
  }
  const Result<void> restored = trainer->restore(file);
  ASSERT_FALSE(restored);
  EXPECT_NE(restored.error().text().find("stands at no step"), std::string::npos);
}

TEST(TripleTraining, WhatCannotBeTrainedIsRefused) {
  const auto expect_refused = [](const TripleTrainOptions& options, const std::string& words) {
    const auto trainer = kg::make_triple_trainer(small_triples(), kEntities, kRelations, options);
    ASSERT_FALSE(trainer);
    EXPECT_NE(trainer.error().text().find(words), std::string::npos) << trainer.error().text();
  };
  TripleTrainOptions options = small_options();
  options.model = ScoreModel::TransR;
  options.dropout.relations = 0.1;
  expect_refused(options, "projects what is drawn by a relation");
  options = small_options();
  options.regularizer.constraints = 1;
  expect_refused(options, "are of transh");
  options = small_options();
  options.optimizer.optimizer = Optimizer::RmsProp;
  expect_refused(options, "expected adagrad, lazy-adam, adam or sgd");
  options = small_options();
  options.optimizer.weight_decay = 0.1;
  expect_refused(options, "--l2");
  options = small_options();
  options.dropout.entities = 1e-9;
  expect_refused(options, "--entity-dropout");
  options.dropout = {0, 0.1};
  options.model = ScoreModel::RotatE;
  expect_refused(options, "rotate divides relations by their moduli");
  options = small_options();
  options.loss = {TripleLoss::Softmax, 0, 1, 0};
  expect_refused(options, "--adversarial");
  options.loss = {TripleLoss::Margin, 1, 0, 0.1};
  expect_refused(options, "--label-smoothing");
  EXPECT_FALSE(kg::make_triple_trainer({}, kEntities, kRelations, small_options()));
}

TEST(TripleTraining, ALossThatIsNotFiniteMovesNothing) {
  TripleTrainOptions options = small_options();
  options.initial_scale = 1e200;
  const auto trainer = trainer_of(options, small_triples());
  const auto before = trainer->save()->tensors;
  const Result<void> stepped = trainer->step();
  ASSERT_FALSE(stepped);
  EXPECT_EQ(stepped.error().list().front().code, ErrorCode::NonFinite);
  EXPECT_EQ(trainer->save()->tensors, before);
}

}  // namespace
}  // namespace vecc::test
