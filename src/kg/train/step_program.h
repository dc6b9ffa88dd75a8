// One step of a training of triples as a Program (docs/program.md): what it reads are rows whose
// numbers are values of the step, what it stores are these rows. The interpreter runs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/kg/train/training_batch.h"
#include "src/kg/train/triple_trainer.h"
#include "vecc/error.h"
#include "vecc/program.h"
#include "vecc/train_step.h"

namespace vecc::kg {

/// Where a step's negatives come from.
enum class StepNegatives : std::uint8_t {
  Given,  ///< an input, as all else that a batch has
  Drawn,  ///< a `draw`, by the training's law, where that is uniform and without filter
};

struct TripleStepProgram {
  /// Parameters "entities", "relations" and "shared" as LearnedModel has them, without values; the
  /// batch's are "batch.anchors" and such, with those of the batch that it was made of. One output:
  /// the loss before the step. Drawn: a state "step" counts the steps, from the batch's on.
  Program program;
  StepOps ops;                         ///< the optimizer's
  std::vector<ParameterIndex> inputs;  ///< the batch's
};

/// Pairs of a query and a negative that a Program may have, and factors of dropout: each takes it
/// about 1 GB to be made and printed.
inline constexpr std::uint64_t kMostPairs = 1u << 22;
inline constexpr std::uint64_t kMostFactors = 1u << 24;

/// Errors: Usage: an encoder; negatives that are not drawn by a plain law where they are to be
/// drawn.
[[nodiscard]] Result<void> check_step_program(const TripleTrainOptions& options,
                                              StepNegatives negatives);

/// The step of `batch`: any other batch of as many queries, in the same chunks, is the same Program
/// with other inputs. `maker` is what made it. Errors: those of check_step_program(), of a formula
/// those of formula_of(); LimitRows (more pairs than kMostPairs, more numbers that dropout
/// multiplies than kMostFactors; in f32 tables of more than 2^24 rows).
[[nodiscard]] Result<TripleStepProgram> make_step_program(
    const TripleTrainOptions& options, std::uint32_t entities, std::uint32_t relations,
    const TrainingBatch& batch, const BatchMaker& maker,
    StepNegatives negatives = StepNegatives::Given);

}  // namespace vecc::kg
