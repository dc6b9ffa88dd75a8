// Embeddings as a file of weights that read_embeddings() reads.
#pragma once

#include "src/kg/embeddings.h"
#include "vecc/weights.h"

namespace vecc::kg {

/// The model's tables, [n, d, 1] or [n, rows, columns], and names of rows where there are some.
[[nodiscard]] WeightFile weights_of(const Embeddings& embeddings);

}  // namespace vecc::kg
