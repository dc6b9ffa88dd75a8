// Trainings of users' scores on a GPU, or on the emulated one, against those on the CPU.
#include <gtest/gtest.h>

#include <string>

#include "src/kg/train/cuda/cuda_triple_trainer.h"
#include "tests/kg/cuda_steps.h"

namespace vecc::test {
namespace {

using kg::Corruption;
using kg::NegativeDraw;
using kg::TripleLoss;
using kg::TripleTrainOptions;

class CudaFormulaTraining : public CudaTraining {};

// Distances, products and pairs; e a row or computed; q's that are not equally long; parameters of
// each owner; a side that does not depend on its entity.
const char* const kDeviceTexts[] = {
    "-norm2(h + r - t)",
    "-norm1(tanh(h + r - t))",
    "W: dim x dim; b: 1\nq = tanh(W @ h) * r\ndot(q, tanh(W @ t)) + b",
    "e.b: 1; r.b: 1; s: 1\nsigmoid(r.b) * dot(h, t) * s + h.b - t.b",
    "W: dim*dim x relation_dim; M = reshape[dim x dim](W @ r); dot(h, M @ t)",
    "w: 3*dim; V: 3 x 3*dim; u: 3\ndot(u, relu(V @ (concat(h, r, t) * w)))",
    "r.M: dim x dim; r: 2; W: dim x 2\n-norm2(r.M @ h - r.M @ t + W @ r)",
    "r.b: dim\ndot(h, r * t) + dot(h, r.b)",
    "e.b: 1\ndot(h, r * t) + h.b",
    "cossim(h + r, max(t, r))",
};

TripleTrainOptions device_formula_options(const std::string& text) {
  TripleTrainOptions options = some_options();
  options.model = kg::ScoreModel::Formula;
  options.formula = text;
  options.dim = 4;
  options.relation_dim = text.find("relation_dim") != std::string::npos ? 3 : 0;
  options.interpret = true;
  options.batch_size = 13;
  options.negatives = {4, 7};
  options.optimizer.epsilon = 1e-4;
  return options;
}

TEST_F(CudaFormulaTraining, EveryKindOfScoreMakesTheStepsOfTheCpu) {
  const kg::TripleLossOptions losses[] = {{TripleLoss::Margin, 2, 0.7, 0},
                                          {TripleLoss::Logistic, 1.5, 0.5, 0.1},
                                          {TripleLoss::Softmax, 0, 0, 0.2}};
  const Optimizer optimizers[] = {Optimizer::Adagrad, Optimizer::LazyAdam, Optimizer::Sgd,
                                  Optimizer::Adam};
  std::size_t number = 0;
  for (const char* const text : kDeviceTexts) {
    SCOPED_TRACE(text);
    TripleTrainOptions options = device_formula_options(text);
    options.loss = losses[number % 3];
    options.optimizer.optimizer = optimizers[number % 4];
    if (options.optimizer.optimizer == Optimizer::Sgd) options.optimizer.epsilon.reset();
    ++number;
    expect_steps(options, 6);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Of a distance, of a product whose e is computed, and of pairs.
const char* const kOfEachKind[] = {
    "-norm1(h + r - t)",
    "e.b: 1; r.b: 1; s: 1\nsigmoid(r.b) * dot(h, t) * s + h.b - t.b",
    "w: dim; -norm1(tanh(h + r - t * w))",
};

TEST_F(CudaFormulaTraining, EveryKindOfNegativesAndRegularizerMakesTheStepsOfTheCpu) {
  const kg::NegativeOptions kinds[] = {
      {4, 7, Corruption::Bernoulli, NegativeDraw::Uniform, false},
      {3, 5, Corruption::Head, NegativeDraw::Degree, true},
      {4, 13, Corruption::Tail, NegativeDraw::Uniform, true},
      {0, 12, Corruption::Both, NegativeDraw::Uniform, true},
      {0, 12, Corruption::Both, NegativeDraw::Uniform, false, true},
  };
  for (const char* const text : kOfEachKind) {
    for (const kg::NegativeOptions& negatives : kinds) {
      TripleTrainOptions options = device_formula_options(text);
      options.negatives = negatives;
      options.regularizer = {0.01, 0.02};
      options.loss.loss = negatives.count == 0 ? TripleLoss::Softmax : TripleLoss::Logistic;
      SCOPED_TRACE(text + std::string(text_of(negatives.corruption)) +
                   std::to_string(negatives.count) + (negatives.labels ? " labels" : ""));
      expect_steps(options, 3);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaFormulaTraining, DropoutMakesTheStepsOfTheCpu) {
  for (const char* const text : kOfEachKind) {
    for (const kg::TripleDropout& dropout :
         {kg::TripleDropout{0.3, 0}, kg::TripleDropout{0, 0.4}, kg::TripleDropout{0.3, 0.4}}) {
      TripleTrainOptions options = device_formula_options(text);
      options.dropout = dropout;
      options.regularizer = {0.01, 0.02};
      SCOPED_TRACE(text + std::to_string(dropout.entities));
      expect_steps(options, 3);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Several tiles; values that lie in memory between kernels.
TEST_F(CudaFormulaTraining, LargeStepsAreThoseOfTheCpu) {
  const char* const texts[] = {
      "-norm2(h + r - t)",
      "W: dim x dim\ndot(tanh(W @ h) * r, tanh(W @ t))",
      "W: dim*dim x relation_dim; M = reshape[dim x dim](W @ r); dot(h, M @ t) + sum(W @ r)",
      "W: dim*dim x relation_dim; M = tanh(reshape[dim x dim](W @ r)); dot(h, M @ t) + sum(M * M)",
      "r.M: dim x dim; dot(h, r.M @ t)",
  };
  for (const char* const text : texts) {
    TripleTrainOptions options = device_formula_options(text);
    options.dim = 19;
    if (options.relation_dim > 0) options.relation_dim = 5;
    options.batch_size = 0;
    options.negatives = {35, 37};
    SCOPED_TRACE(text);
    expect_steps(options, 2);
    if (options.relation_dim == 0) continue;
    options.dtype = DType::F32;
    options.optimizer.epsilon = 1e-2;
    expect_steps(options, 2);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Matrices that several blocks share.
TEST_F(CudaFormulaTraining, ProductsOfLargeMatricesAreThoseOfTheCpu) {
  TripleTrainOptions options = device_formula_options(std::string(kg::tucker_text()));
  options.negatives.corruption = Corruption::Bernoulli;
  options.dim = 33;
  options.relation_dim = 40;
  expect_steps(options, 2);
  options = device_formula_options("r.M: dim x dim; dot(h, r.M @ t)");
  options.negatives.corruption = Corruption::Tail;
  options.dim = 140;
  expect_steps(options, 1);
}

TEST_F(CudaFormulaTraining, RepeatsBitByBitAndGoesOnFromAFile) {
  for (const char* const text : {kOfEachKind[1], kOfEachKind[2]}) {
    TripleTrainOptions options = device_formula_options(text);
    options.dtype = DType::F32;
    options.negatives.corruption = Corruption::Bernoulli;
    const Trainer whole = on_cuda(options);
    const Trainer other = on_cuda(options);
    ASSERT_NE(whole, nullptr);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(whole->step());
    const WeightFile file = *whole->save();
    const Trainer resumed = on_cuda(options);
    ASSERT_TRUE(resumed->restore(file));
    while (whole->position().epoch < 1) {
      ASSERT_TRUE(whole->step());
      ASSERT_TRUE(resumed->step());
    }
    ASSERT_TRUE(other->epochs(1));
    EXPECT_EQ(resumed->save()->tensors, whole->save()->tensors);
    EXPECT_EQ(other->save()->tensors, whole->save()->tensors);
    const Trainer cpu = on_cpu(options);
    EXPECT_TRUE(cpu->restore(file));
  }
}

TEST_F(CudaFormulaTraining, RowsThatThreadsHaveNoRoomForAreRefused) {
  TripleTrainOptions options = device_formula_options("-norm1(softmax(h + r) - t)");
  options.dim = 100000;
  const auto trainer = kg::make_cuda_triple_trainer(some_triples(), kNodes, kLinks, options, 0);
  ASSERT_FALSE(trainer);
  EXPECT_NE(trainer.error().text().find("a smaller --dim needs less, --backend=cpu takes any"),
            std::string::npos)
      << trainer.error().text();
}

}  // namespace
}  // namespace vecc::test
