// A score for one question, (h, r, ?) or (?, r, t), in three parts, so that what is of a query is
// computed once a query, and what is of an entity that may answer once an entity:
//
//     score = pair(q, e),  q = query(anchor's row, relation's row, shared),  e = answer(row,
//     shared)
//
// q and e are columns. Sums and products are rearranged so that as much as can be is in q and e:
// -norm1(h + r - t) becomes q = h + r, e = t, a distance of both.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "src/kg/score_formula/score_formula.h"

namespace vecc::kg {

/// What a score is of q and e, which then are of one length; Other is by `pair`.
enum class PairKind : std::uint8_t { Product, L1, SquaredL2, L2, Other };

/// A part of q or of e.
struct PairInput {
  bool of_query = false;
  std::uint32_t begin = 0;
  Shape shape;
};

struct SplitScore {
  /// SplitInputs::Rows: 0 the own row, 1 the relation's row (of a query), then the shared
  /// parameters, in their order among all shared ones. All are columns but the shared ones.
  /// SplitInputs::Parameters: the formula's parameters, of their shapes.
  TermPtr query;
  TermPtr answer;
  /// Whether `answer` is the entity's whole row as it is.
  bool answer_is_row = false;
  PairKind kind = PairKind::Other;
  TermPtr pair;  ///< Other: over `pair_inputs`
  std::vector<PairInput> pair_inputs;
};
inline constexpr std::uint32_t kOwnRow = 0;
inline constexpr std::uint32_t kRelationRow = 1;
inline constexpr std::uint32_t kFirstShared = 2;

/// What q and e are computed from: rows as they lie in tables, or one parameter at a time.
enum class SplitInputs : std::uint8_t { Rows, Parameters };

/// The parameters of ParameterOwner::Shared, in order.
[[nodiscard]] std::vector<ScoreParameter> shared_parameters(const ScoreFormula& formula);

/// `asks_tail`: of (h, r, ?). Without `tiles` the kind is Other.
[[nodiscard]] SplitScore split_score(const ScoreFormula& formula, bool asks_tail, bool tiles = true,
                                     SplitInputs inputs = SplitInputs::Rows);
/// Of both questions, by whether the tail is asked for: with tiles where both have them.
[[nodiscard]] std::array<SplitScore, 2> split_questions(const ScoreFormula& formula,
                                                        SplitInputs inputs = SplitInputs::Rows);

}  // namespace vecc::kg
