// Embeddings as a file of weights that read_embeddings() reads.
#pragma once

#include <cstdint>
#include <optional>

#include "src/kg/embeddings.h"
#include "vecc/weights.h"

namespace vecc::kg {

/// The model's tables, [n, d, 1] or [n, rows, columns], names of rows where there are some, and in
/// the metadata which score they are of.
[[nodiscard]] WeightFile weights_of(const Embeddings& embeddings);

struct StatedScore {
  ScoreModel model = ScoreModel::TransE;
  std::uint32_t p = 1;  ///< transe: the norm's
};
/// What the metadata say that the weights are of; none: of files that say nothing, as those of
/// graphs. Error: WeightsDiffer (no score of vecc, another p than 1 or 2).
[[nodiscard]] Result<std::optional<StatedScore>> stated_score(const WeightFile& file);

}  // namespace vecc::kg
