// Queries in batches: each asked once, however many triples ask it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/kg/triple.h"

namespace vecc::kg {

/// Queries 0 .. n-1, sorted (of OneSide by the side first), and of each the entities whose scores
/// are wanted.
struct QueryPlan {
  std::vector<Query> asked;               ///< as the triples have it: what known triples are of
  std::vector<Query> scored;              ///< as the model is asked
  std::vector<std::uint64_t> first_item;  ///< by query, and the end
  std::vector<std::uint64_t> item;        ///< 2 i + side: triple i's entity on that side
  std::vector<std::uint64_t> batch;       ///< first query of each batch, and the end
};

/// (?, r, t) as (t, inverse of r, ?), where r has an inverse: RankOptions::inverse.
[[nodiscard]] Query scored_as(const Query& query, std::span<const std::uint32_t> inverse);

/// What all queries of a batch have in common.
enum class BatchKind : std::uint8_t { Any, OneRelation, OneSide };

/// Whether a batch may have both queries.
[[nodiscard]] bool fit_together(const Query& a, const Query& b, BatchKind kind);

/// Both sides of each triple. A batch has at most `batch_size` queries.
[[nodiscard]] QueryPlan plan_queries(std::span<const Triple> triples,
                                     std::span<const std::uint32_t> inverse, BatchKind kind,
                                     std::size_t batch_size);

}  // namespace vecc::kg
