// Every score as a formula's text, and a formula over rows of a Program.
#pragma once

#include <string>

#include "src/kg/score_formula/score_formula.h"
#include "src/kg/train/triple_trainer.h"
#include "vecc/program.h"

namespace vecc::kg {

/// What the options train: a score with a name as the formula that it is, over the same rows.
/// Errors: those of formula_of().
[[nodiscard]] Result<ScoreFormula> formula_of_score(const TripleTrainOptions& options);

/// Rows of a Program that a score reads, of as many triples: heads, relations, tails, and the one
/// row of shared parameters. What a formula does not have is not read.
struct ScoreRows {
  ValueId heads = 0;
  ValueId relations = 0;
  ValueId tails = 0;
  ValueId shared = 0;
};
/// A scalar a triple.
[[nodiscard]] ValueId append_scores(Program& program, const ScoreFormula& formula,
                                    const ScoreRows& rows);

/// Entries begin .. begin + shape.size() - 1 of each row, in a shape.
[[nodiscard]] ValueId part_of_rows(Program& program, ValueId rows, std::uint32_t begin,
                                   Shape shape);

}  // namespace vecc::kg
