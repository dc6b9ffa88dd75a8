// Training of a score of triples against negatives that are drawn at every step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/kg/embeddings.h"
#include "src/kg/encoder/encoder_options.h"
#include "src/kg/train/row_dropout.h"
#include "src/kg/train/training_batch.h"
#include "src/kg/train/triple_loss.h"
#include "src/kg/triple.h"
#include "src/kg/triple_ranker.h"
#include "vecc/backend.h"
#include "vecc/error.h"
#include "vecc/initialize.h"
#include "vecc/program.h"
#include "vecc/train.h"
#include "vecc/train_step.h"
#include "vecc/weights.h"

namespace vecc::kg {

/// Added to the loss of a query (h, r, t): l2 * the sum of |x|^2 + n3 * the sum of |x|^3, over the
/// numbers x of h, r and t, complex ones by their modulus (Lacroix et al. 2018). k-vs-all: t is
/// TrainingBatch::answers.
struct TripleRegularizer {
  double l2 = 0;
  double n3 = 0;
  /// transh: times the soft constraints of Wang et al. 2014 (plane_constraints.h).
  double constraints = 0;
};

struct TripleTrainOptions {
  ScoreModel model = ScoreModel::TransE;
  std::uint32_t p = 1;                  ///< transe: the norm's
  std::uint32_t dim = 0;                ///< numbers of an entity; complex and rotate: complex ones
  std::string formula;                  ///< of ScoreModel::Formula: its text
  std::uint32_t relation_dim = 0;       ///< of ScoreModel::Formula: numbers of `r`; 0: dim
  bool interpret = false;               ///< a formula's kernels are not compiled
  EncoderOptions encoder;               ///< what makes the entities' rows, if they are not learned
  std::string encoder_backend = "cpu";  ///< what runs it; scores are the trainer's
  Device encoder_device;
  NegativeOptions negatives;
  TripleLossOptions loss;
  TripleRegularizer regularizer;
  TripleDropout dropout;
  OptimizerOptions optimizer;
  RateSchedule schedule;         ///< of epochs, counted from 0
  std::uint32_t batch_size = 0;  ///< triples a step, k-vs-all: queries; 0: all
  Initializer initializer = Initializer::Glorot;
  double initial_scale = 1;  ///< what the initializer draws, times this
  std::uint64_t seed = 0;
  DType dtype = DType::F32;
  std::uint32_t threads = 0;  ///< 0: one a processor
  /// What a step may take of a GPU's memory at most; 0: what is free. Tables that it has no room
  /// for are in the host's.
  std::uint64_t device_bytes = 0;
};

/// save() has the tables of embeddings(), states as `state/NAME/TABLE`, the position in the
/// metadata. A step moves no weight if its loss is not finite: error NonFinite. No graph has the
/// weights: storage() is null and copy_weights_to() an error.
class TripleTrainer : public Trainer {
 public:
  /// The weights of now, without names. Errors: a device's.
  [[nodiscard]] virtual Result<Embeddings> embeddings() = 0;
  /// Ranks by the weights of now, whenever they are asked for; the trainer must outlive it, and so
  /// must `known` where the CPU ranks. On a GPU that trains the weights are ranked where they are.
  /// Errors: a device's.
  [[nodiscard]] virtual Result<std::unique_ptr<TripleRanker>> make_ranker(
      std::span<const Triple> triples, const KnownTriples& known, const RankOptions& options);
};

/// Errors: those of check_encoder_options(); Usage (no triples; an optimizer or a loss that is not
/// trained so; options that the score does not have, or out of range), LimitShape (tables of more
/// than 2^40 numbers).
[[nodiscard]] Result<void> check_triple_options(std::size_t triples, std::uint32_t entities,
                                                std::uint32_t relations,
                                                const TripleTrainOptions& options);

/// The score of ScoreModel::Formula. Errors: those of parse_score_formula().
[[nodiscard]] Result<ScoreFormula> formula_of(const TripleTrainOptions& options);

/// `triples`: the training set, each below `entities` and `relations`. The result of a step has the
/// same bits for any number of threads. With an encoder its tables move, and what a score reads of
/// entities is what it makes of the training set's edges, once a step; embeddings() are those rows.
/// Errors: those of check_triple_options(), of an encoder those of its backend.
[[nodiscard]] Result<std::unique_ptr<TripleTrainer>> make_triple_trainer(
    std::vector<Triple> triples, std::uint32_t entities, std::uint32_t relations,
    const TripleTrainOptions& options);

}  // namespace vecc::kg
