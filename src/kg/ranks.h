// The rank of each triple's own entity among all entities, on either side.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/kg/embeddings.h"
#include "src/kg/known_triples.h"
#include "src/kg/triple.h"

namespace vecc::kg {

/// Realistic ranks, 1 is best: the mean of the best and the worst place among equal scores, 1 +
/// (higher) + (others that are equal) / 2 (Berrendorf et al. 2020).
struct Rank {
  double raw = 0;
  double filtered = 0;  ///< other answers that are known left out
};

struct RankOptions {
  std::uint32_t threads = 0;  ///< 0: one a processor
  /// By relation: the number of its inverse, or kNoInverse. (?, r, t) is then asked as (t, inverse
  /// of r, ?), as models with reciprocal relations learn it (Lacroix et al. 2018).
  std::vector<std::uint32_t> inverse;
  /// Called now and then, by the caller's thread, with the share that is done.
  std::function<void(double)> progress;
};
inline constexpr std::uint32_t kNoInverse = 0xFFFFFFFF;

/// Ranks [2 i] of triple i's head and [2 i + 1] of its tail. `known` has what filters; the triples'
/// numbers are below the embeddings'. Scores are computed in the embeddings' precision, a NaN ranks
/// last. The same bits for any number of threads.
[[nodiscard]] std::vector<Rank> rank_triples(const Embeddings& embeddings,
                                             std::span<const Triple> triples,
                                             const KnownTriples& known, const RankOptions& options);

}  // namespace vecc::kg
