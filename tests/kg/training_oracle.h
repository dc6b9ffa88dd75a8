// A training of triples by plain definitions, in double: scores of (h, r, t) number by number,
// losses, dense optimizers over all rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/kg/train/triple_trainer.h"
#include "tests/kg/tape.h"

namespace vecc::test {

/// Each relation's numbers one after another, whatever tables have them: its vector, its normal,
/// its matrix.
[[nodiscard]] std::vector<double> relation_numbers(const kg::Embeddings& embeddings);

class TrainingOracle {
 public:
  /// Begins with these weights.
  TrainingOracle(const kg::Embeddings& embeddings, std::vector<kg::Triple> triples,
                 const kg::TripleTrainOptions& options);

  /// A step with the draws of `batch`; returns the loss before it.
  double step(const kg::TrainingBatch& batch);
  [[nodiscard]] const std::vector<double>& entities() const { return entities_; }
  [[nodiscard]] const std::vector<double>& relations() const { return relations_; }

 private:
  using Row = std::vector<Number>;
  using Rows = std::vector<Row>;
  [[nodiscard]] Number score(const Row& h, const Row& r, const Row& t) const;
  [[nodiscard]] Number constraints_of(const Row& h, const Row& r, const Row& t) const;
  [[nodiscard]] Number loss_of(const Number& positive, const std::vector<Number>& negatives) const;
  [[nodiscard]] Number loss_of_labels(const std::vector<Number>& scores,
                                      const std::vector<bool>& is_answer) const;
  [[nodiscard]] Number penalty_of(const Row& row, bool is_complex) const;
  [[nodiscard]] Row dropped(const kg::TrainingBatch& batch, bool is_entity, std::size_t slot,
                            const Row& row) const;
  [[nodiscard]] Number loss_of_query(const kg::TrainingBatch& batch, std::size_t chunk,
                                     std::size_t query, const Rows& entities,
                                     const Rows& relations) const;
  void move(std::vector<double>& weights, std::size_t width, const std::vector<double>& gradient,
            const std::vector<bool>& touched, std::vector<double>& first,
            std::vector<double>& second) const;

  std::vector<kg::Triple> triples_;
  kg::TripleTrainOptions options_;
  std::size_t entity_width_;
  std::size_t relation_width_;
  double steps_ = 0;
  std::vector<double> entities_;
  std::vector<double> relations_;
  std::vector<double> states_[4];
};

/// 20 steps of a training on the CPU, each with the draws of its own seed, are the oracle's.
void expect_oracle_steps(const kg::TripleTrainOptions& options,
                         const std::vector<kg::Triple>& triples, std::uint32_t entities,
                         std::uint32_t relations);

/// Calls expect_steps(options) with every score model (transe: both norms), loss and optimizer in
/// place of those of `base`, until one fails fatally.
void for_each_training(const kg::TripleTrainOptions& base,
                       std::span<const kg::TripleLossOptions> losses,
                       std::span<const Optimizer> optimizers,
                       const std::function<void(const kg::TripleTrainOptions&)>& expect_steps);

}  // namespace vecc::test
