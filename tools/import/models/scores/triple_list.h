// The triples that are scored: those of the data, each followed by its corrupted ones.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/import/models/models.h"
#include "tools/import/models/scores/negatives.h"

namespace vecc::tools {

/// Query s belongs to positive s / (negatives + 1), and is it where the remainder is 0. A corrupted
/// triple may be drawn more than once: it is one triple, as it is one ground atom, and several
/// queries. A triple's negatives depend on the seed and on the triple's place in the data only.
struct TripleList {
  std::vector<Triple> triples;        ///< distinct, in the order of their first queries
  std::vector<std::uint32_t> triple;  ///< by query
  std::vector<std::uint64_t> edge;    ///< by positive: its place in the data
  std::uint32_t negatives = 0;        ///< a positive

  [[nodiscard]] std::uint32_t query_count() const {
    return static_cast<std::uint32_t>(triple.size());
  }
};

/// Errors: Usage (no triples of the split that was asked for; one that cannot be corrupted),
/// LimitNeurons (more queries than a graph may have neurons).
[[nodiscard]] Result<TripleList> list_triples(const TypedGraph& data, const ScoreOptions& options,
                                              const ImportLimits& limits);

}  // namespace vecc::tools
