// The entities that answer a query best.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "src/kg/embeddings.h"
#include "src/kg/known_triples.h"
#include "src/kg/triple.h"

namespace vecc::kg {

struct Answer {
  std::uint32_t entity = 0;
  double score = 0;
  bool known = false;  ///< the triple is among the known ones
};

struct AnswerOptions {
  std::uint32_t top = 10;
  bool drop_known = false;
  std::uint32_t threads = 0;  ///< 0: one a processor
  /// As RankOptions::inverse: (?, r, t) is scored as (t, inverse of r, ?).
  std::vector<std::uint32_t> inverse = {};
};

/// By query: the best `top` entities (fewer where there are no more), by falling score, equal ones
/// by number.
[[nodiscard]] std::vector<std::vector<Answer>> answer_queries(const Embeddings& embeddings,
                                                              std::span<const Query> queries,
                                                              const KnownTriples& known,
                                                              const AnswerOptions& options);

/// How near entities are: by the angle between their vectors, or by their distance.
enum class NearnessKind : std::uint8_t { Cosine, Euclidean };
/// "cosine", "euclidean"; empty for no such kind.
[[nodiscard]] std::string_view text_of(NearnessKind kind);

struct Neighbour {
  std::uint32_t entity = 0;
  double nearness = 0;  ///< the cosine, or the distance
};

/// The `top` entities nearest to one, without itself: the largest cosines (of a vector of length 0:
/// 0), or the smallest distances; equal ones by number.
[[nodiscard]] std::vector<Neighbour> nearest_entities(const Embeddings& embeddings,
                                                      std::uint32_t entity, NearnessKind kind,
                                                      std::uint32_t top);

}  // namespace vecc::kg
