// A training of triples as Programs that the interpreter, or another backend, runs in double: a
// step by the definitions of step_program.h, differentiated by vecc, whose inputs are what a batch
// has by plain definitions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/kg/train/step_program.h"
#include "vecc/backend.h"

namespace vecc::test {

/// Each relation's numbers one after another, whatever tables have them: its vector, its normal,
/// its matrix.
[[nodiscard]] std::vector<double> relation_numbers(const kg::Embeddings& embeddings);

struct OracleOptions {
  kg::StepNegatives negatives = kg::StepNegatives::Given;
  bool optimizes = false;  ///< the programs run as -O2 leaves them
  std::string backend = "interpreter";
};

class TrainingOracle {
 public:
  /// Begins with these weights.
  TrainingOracle(const kg::Embeddings& embeddings, std::vector<kg::Triple> triples,
                 const kg::TripleTrainOptions& options, const OracleOptions& own);

  /// A step with the draws of `batch`, of `maker`; returns the loss before it, NaN where the test
  /// has failed.
  double step(const kg::TrainingBatch& batch, const kg::BatchMaker& maker);
  [[nodiscard]] std::vector<double> entities() { return weights("entities"); }
  [[nodiscard]] std::vector<double> relations() { return weights("relations"); }
  [[nodiscard]] std::vector<double> shared() { return weights("shared"); }

 private:
  struct Step {
    kg::TripleStepProgram made;
    std::unique_ptr<Executable> executable;
  };
  Step* step_of(const kg::TrainingBatch& batch, const kg::BatchMaker& maker);
  void set_inputs(Step& step, const kg::TrainingBatch& batch);
  [[nodiscard]] std::vector<double> input(const std::string& name,
                                          const kg::TrainingBatch& batch) const;
  [[nodiscard]] std::vector<double> counts(const kg::TrainingBatch& batch) const;
  [[nodiscard]] std::vector<double> labels(const kg::TrainingBatch& batch) const;
  [[nodiscard]] std::vector<double> kept(const kg::TrainingBatch& batch, bool is_entity) const;
  [[nodiscard]] std::vector<double> weights(const std::string& name);

  std::vector<kg::Triple> triples_;
  kg::TripleTrainOptions options_;
  OracleOptions own_;
  std::map<std::string, std::vector<double>> initial_;  ///< by table
  std::uint32_t entity_count_;
  std::uint32_t relation_count_;
  std::uint64_t steps_ = 0;
  std::map<std::vector<std::uint32_t>, Step> programs_;  ///< by the chunks of a batch
  std::shared_ptr<Storage> storage_;                     ///< all of them have in common
};

/// 20 steps of a training in f64 that stands at its beginning, each with the draws of its own seed,
/// are the oracle's.
void expect_oracle_steps_of(kg::TripleTrainer& trainer, const kg::TripleTrainOptions& options,
                            const std::vector<kg::Triple>& triples, const OracleOptions& own = {});
/// The same of a training on the CPU.
void expect_oracle_steps(const kg::TripleTrainOptions& options,
                         const std::vector<kg::Triple>& triples, std::uint32_t entities,
                         std::uint32_t relations, const OracleOptions& own = {});

/// `base` of every score model (transe: both norms).
[[nodiscard]] std::vector<kg::TripleTrainOptions> of_each_score(const kg::TripleTrainOptions& base);
/// As "transe2": of transe with its p.
[[nodiscard]] std::string score_name(const kg::TripleTrainOptions& options);
/// Calls expect_steps(options) with every loss and optimizer in place of those of `base`, until one
/// fails fatally.
void for_each_loss(const kg::TripleTrainOptions& base,
                   std::span<const kg::TripleLossOptions> losses,
                   std::span<const Optimizer> optimizers,
                   const std::function<void(const kg::TripleTrainOptions&)>& expect_steps);
/// The same of every score.
void for_each_training(const kg::TripleTrainOptions& base,
                       std::span<const kg::TripleLossOptions> losses,
                       std::span<const Optimizer> optimizers,
                       const std::function<void(const kg::TripleTrainOptions&)>& expect_steps);

}  // namespace vecc::test
