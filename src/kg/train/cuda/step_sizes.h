// How much of everything a training's step has at most, and so its memory and its launches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/kg/train/cuda/step_kinds.h"
#include "vecc/error.h"

namespace vecc::kg {

struct StepSizes {
  std::uint64_t entities = 0;
  std::uint64_t relations = 0;
  std::uint64_t dim = 0;             ///< numbers of an entity's row
  std::uint64_t relation_width = 0;  ///< of a relation's
  std::uint64_t width = 0;           ///< of q and e: dim, but of a user's score
  std::uint64_t shared_width = 0;    ///< a user's score: numbers that all triples share
  std::uint64_t triples = 0;
  std::uint64_t batch_size = 0;
  std::uint64_t batches = 0;  ///< of an epoch
  std::uint64_t chunk = 0;
  std::uint64_t negatives = 0;        ///< of a chunk
  std::uint64_t queries = 0;          ///< at most
  std::uint64_t chunks = 0;           ///< at most
  bool is_joint = false;              ///< derivatives by both sides of pairs are one kernel's
  std::uint64_t query_parts = 1;      ///< then: of the derivative by a negative
  std::uint64_t negative_splits = 1;  ///< then, and of products: of that by a query
  std::uint64_t split_negatives = 0;
  std::uint32_t score_side = 64;  ///< kernels/product_scores.h: queries and negatives of a block
  std::uint32_t space_columns = device::kWideColumns;  ///< transr: of images, of a block

  [[nodiscard]] std::uint64_t drawn() const { return chunks * negatives; }
  /// rescal, transr: stretches of sorted queries of one relation and side, of as many as
  /// a block multiplies, but for the last of a stretch.
  [[nodiscard]] std::uint64_t runs() const {
    return std::min(queries,
                    2 * std::min(relations, queries) + 2 * queries / device::kProductRows + 1);
  }
  /// transr: queries of one relation and chunk.
  [[nodiscard]] std::uint64_t groups() const { return std::min(queries, chunks * relations); }
  /// transr: blocks that share the groups of a chunk's negatives, however many a GPU has.
  [[nodiscard]] std::uint64_t space_parts() const;
  /// What is added to rows of entities.
  [[nodiscard]] std::uint64_t parts() const { return 2 * queries + drawn(); }
};
[[nodiscard]] StepSizes step_sizes(const StepKinds& kinds, const TripleTrainOptions& options,
                                   std::uint64_t triples, std::uint64_t entities,
                                   std::uint64_t relations, const DeviceScore* score);

/// Blocks of the kernels.
struct StepGrids {
  std::uint64_t begin = 0;
  std::uint64_t drop = 0;  ///< where entities are dropped
  std::uint64_t sort = 0;
  std::uint64_t merge = 0;
  std::uint32_t passes = 0;  ///< of merge
  std::uint64_t scores = 0;
  std::uint64_t losses = 0;
  std::uint64_t gradients = 0;
  std::uint64_t plane_scores = 0;     ///< transh
  std::uint64_t plane_gradients = 0;  ///< transh
  std::uint64_t spread = 0;
  std::uint64_t rows = 0;
  std::uint64_t products = 0;        ///< rescal, transr
  std::uint64_t matrices = 0;        ///< rescal, transr
  std::uint64_t images = 0;          ///< transr: of groups and negatives
  std::uint64_t norms = 0;           ///< transr: likewise
  std::uint64_t negatives = 0;       ///< transr: of numbers of negatives
  std::uint64_t negative_parts = 0;  ///< transr
  std::uint64_t slots = 0;           ///< a user's score
  std::uint64_t shared = 0;          ///< a user's score
};
/// Error: LimitShape for more blocks, or parts, than a GPU counts.
[[nodiscard]] Result<StepGrids> step_grids(const StepKinds& kinds, const StepSizes& sizes);

}  // namespace vecc::kg
