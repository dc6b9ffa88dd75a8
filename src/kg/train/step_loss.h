// Losses of triples, by scores, as ops of a Program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/kg/train/triple_loss.h"
#include "vecc/differentiate.h"
#include "vecc/program.h"

namespace vecc::kg {

/// What a loss is of: queries, each with as many scores of negatives, one query's after the other.
struct ScoredQueries {
  std::uint32_t count = 0;
  std::uint32_t negatives = 0;  ///< of each
  ValueId positive = 0;         ///< [count]; not of labels
  ValueId scores = 0;           ///< [count * negatives]
  /// As `scores`: 1 for a negative, 0 for what is none; with labels the label.
  ValueId counts = 0;
  bool has_labels = false;
};

/// What is added up is a mean over queries. Seeds are of values below the weights of negatives,
/// which have no derivative of their own.
struct StepLoss {
  std::vector<ValueId> terms;  ///< scalars or columns, all of whose entries are added
  std::vector<Seed> seeds;     ///< by values that are functions of scores
};
void append_triple_loss(Program& program, const ScoredQueries& of, const TripleLossOptions& options,
                        StepLoss& loss);

/// Adds `value`, each entry times `factor`, and its seed.
void add_loss_term(Program& program, ValueId value, double factor, StepLoss& loss);
/// The sum of all terms: one scalar.
[[nodiscard]] ValueId sum_of_terms(Program& program, const StepLoss& loss);

}  // namespace vecc::kg
