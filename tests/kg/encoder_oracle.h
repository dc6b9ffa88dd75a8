// An encoder, a score and a loss of a batch's constant triples as one Program, which vecc
// differentiates: what a training with an encoder takes apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/kg/train/triple_trainer.h"

namespace vecc::test {

class EncoderOracle {
 public:
  /// Begins with the weights of a checkpoint in double. Scores: transe (p = 1), distmult; losses:
  /// logistic and margin of negatives that all weigh the same; optimizers: sgd, adagrad.
  EncoderOracle(const WeightFile& checkpoint, std::vector<kg::Triple> triples,
                std::uint32_t entities, std::uint32_t relations,
                const kg::TripleTrainOptions& options);

  /// A step with the draws of `batch`; returns the loss before it.
  double step(const kg::TrainingBatch& batch, const kg::BatchMaker& maker);
  /// By the name that a checkpoint has: `encoder/h1.W`, `r`.
  [[nodiscard]] const std::map<std::string, std::vector<double>>& tables() const { return tables_; }

 private:
  std::vector<kg::Triple> triples_;
  std::uint32_t entities_;
  std::uint32_t relations_;
  kg::TripleTrainOptions options_;
  std::map<std::string, std::vector<double>> tables_;
  std::map<std::string, std::vector<double>> squares_;  ///< adagrad's
};

}  // namespace vecc::test
