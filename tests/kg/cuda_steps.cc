#include "tests/kg/cuda_steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "backends/cuda/cuda_backend.h"
#include "src/kg/train/cuda/cuda_triple_trainer.h"
#include "tests/kg/random_embeddings.h"

namespace vecc::test {
namespace {

std::vector<double> elements_of(const WeightTensor& tensor) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < tensor.data.size();) {
    if (tensor.type == ElementType::F64) {
      double number = 0;
      std::memcpy(&number, tensor.data.data() + at, sizeof number);
      numbers.push_back(number);
      at += sizeof number;
    } else {
      float number = 0;
      std::memcpy(&number, tensor.data.data() + at, sizeof number);
      numbers.push_back(static_cast<double>(number));
      at += sizeof number;
    }
  }
  return numbers;
}

// Weights and states.
void expect_same(const Trainer& found, const Trainer& expected, double tolerance) {
  const Result<WeightFile> a = found->save();
  const Result<WeightFile> b = expected->save();
  ASSERT_TRUE(a) << a.error().text();
  ASSERT_EQ(a->tensors.size(), b->tensors.size());
  for (std::size_t i = 0; i < a->tensors.size(); ++i) {
    ASSERT_EQ(a->tensors[i].name, b->tensors[i].name);
    const std::vector<double> x = elements_of(a->tensors[i]);
    const std::vector<double> y = elements_of(b->tensors[i]);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      ASSERT_NEAR(x[k], y[k], tolerance * std::max(1.0, std::abs(y[k])))
          << a->tensors[i].name << " " << k;
    }
  }
}

}  // namespace

void CudaTraining::SetUp() {
  const Result<void> available = cuda_backend().available({Device::Kind::Cuda, 0});
  if (!available) GTEST_SKIP() << available.error().text();
}

std::vector<kg::Triple> some_triples() {
  std::vector<kg::Triple> triples = random_triples(kNodes - 1, kLinks - 1, 60, 5);
  triples.push_back({0, kLinks - 1, 1});  // of its relation the only one; the last entity has
                                          // none
  return triples;
}

kg::TripleTrainOptions some_options() {
  kg::TripleTrainOptions o;
  o.model = kg::ScoreModel::DistMult;
  o.dim = 5;
  o.negatives = {7, 12};
  o.optimizer.optimizer = Optimizer::Adagrad;
  o.schedule.base = 0.05;
  o.batch_size = 26;  // of 61: the last batch has 9; the last chunk of a batch 2
  o.seed = 11;
  o.dtype = DType::F64;
  return o;
}

// k-vs-all.
kg::TripleTrainOptions labelled_options() {
  kg::TripleTrainOptions o = some_options();
  o.negatives = {0, 12, kg::Corruption::Both, kg::NegativeDraw::Uniform, false, true};
  return o;
}

Trainer on_cpu(const kg::TripleTrainOptions& options) {
  auto trainer = kg::make_triple_trainer(some_triples(), kNodes, kLinks, options);
  EXPECT_TRUE(trainer) << trainer.error().text();
  return std::move(*trainer);
}
Trainer on_cuda(const kg::TripleTrainOptions& options) {
  auto trainer = kg::make_cuda_triple_trainer(some_triples(), kNodes, kLinks, options, 0);
  EXPECT_TRUE(trainer) << trainer.error().text();
  return trainer ? std::move(*trainer) : nullptr;
}

void expect_steps(const kg::TripleTrainOptions& options, int steps) {
  expect_steps_of(some_triples(), kNodes, kLinks, options, steps);
}

void expect_steps_of(const std::vector<kg::Triple>& triples, std::uint32_t nodes,
                     std::uint32_t links, const kg::TripleTrainOptions& options, int steps,
                     double tolerance) {
  const auto made_cpu = kg::make_triple_trainer(triples, nodes, links, options);
  ASSERT_TRUE(made_cpu) << made_cpu.error().text();
  const auto made_cuda = kg::make_cuda_triple_trainer(triples, nodes, links, options, 0);
  ASSERT_TRUE(made_cuda) << made_cuda.error().text();
  const Trainer& cpu = *made_cpu;
  const Trainer& cuda = *made_cuda;
  if (tolerance == 0) tolerance = options.dtype == DType::F64 ? 1e-9 : 2e-4;
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(cpu->step());
    const Result<void> stepped = cuda->step();
    ASSERT_TRUE(stepped) << stepped.error().text();
    const Result<double> loss = cuda->epoch_loss();
    ASSERT_TRUE(loss) << loss.error().text();
    ASSERT_NEAR(*loss, *cpu->epoch_loss(), tolerance) << i;
    ASSERT_EQ(cuda->position(), cpu->position());
  }
  expect_same(cuda, cpu, tolerance);
}

}  // namespace vecc::test
