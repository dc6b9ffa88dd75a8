// Ranks of triples as the literature sums them up.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/kg/ranks.h"

namespace vecc::kg {

/// By how many tails a head has in the known triples of a relation, and heads a tail, on average: 1
/// below 1.5, else N (Bordes et al. 2013).
enum class RelationKind : std::uint8_t { OneToOne, OneToMany, ManyToOne, ManyToMany };
/// "1-1", "1-N", "N-1", "N-N": heads first.
[[nodiscard]] std::string_view text_of(RelationKind kind);
[[nodiscard]] std::vector<RelationKind> relation_kinds(const KnownTriples& known,
                                                       std::uint32_t relations);

/// Means over `ranks` ranks.
struct RankMeans {
  std::uint64_t ranks = 0;
  double mrr = 0;
  double hits1 = 0;  ///< the share with a rank of at most 1
  double hits3 = 0;
  double hits10 = 0;
  double mean_rank = 0;
};

struct EvaluationRow {
  bool filtered = true;
  std::optional<Side> side;          ///< the one that is asked for; none: both
  std::optional<RelationKind> kind;  ///< none: all relations
  RankMeans means;                   ///< 0 where there are no ranks
};

/// Filtered, then raw; of each all relations, then each kind; of each both sides, heads, tails.
/// `ranks` are rank_triples() of `triples`.
[[nodiscard]] std::vector<EvaluationRow> sum_up_ranks(std::span<const Triple> triples,
                                                      std::span<const Rank> ranks,
                                                      std::span<const RelationKind> kinds);

}  // namespace vecc::kg
