// Embeddings of a user's score as a file of weights: a table a parameter, and in the metadata the
// text of the score and its sizes.
#pragma once

#include "src/kg/embeddings.h"
#include "vecc/weights.h"

namespace vecc::kg {

/// Adds tables and metadata of ScoreModel::Formula; without names.
void add_formula_weights(const Embeddings& embeddings, WeightFile& file);

/// Errors: WeightsDiffer (no score in the metadata, a table that is missing or of another shape),
/// NotFinite, those of parse_score_formula() and ScoreCode::load().
[[nodiscard]] Result<Embeddings> read_formula_embeddings(const WeightFile& file);

/// Whether the metadata have the text of a formula.
[[nodiscard]] bool names_formula(const WeightFile& file);

/// Makes the weights of a graph of TuckER (`vecc-import kg --model=tucker`), which name no score,
/// those of its formula. `file`: changed only if it names none. Errors: WeightsDiffer (no table of
/// columns of entities or of relations).
[[nodiscard]] Result<void> name_tucker(WeightFile& file);

/// The tables that vocabularies number, by owner.
[[nodiscard]] std::vector<std::string_view> formula_tables(const ScoreFormula& formula,
                                                           ParameterOwner owner);

}  // namespace vecc::kg
