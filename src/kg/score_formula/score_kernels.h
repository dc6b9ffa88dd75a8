// The kernels of a score: what a step and what ranks run of a split_score().
#pragma once

#include <cstdint>
#include <vector>

#include "src/kg/score_formula/split_score.h"
#include "vecc/kernel.h"

namespace vecc::kg {

/// What an access of a score's kernel is of. Shared parameter k: Shared + k.
enum class ScoreArray : std::uint32_t {
  OwnRow,        ///< through a list
  RelationRow,   ///< through a list
  Gradient,      ///< by q or e
  Made,          ///< q or e; the derivative by a row or a shared parameter
  MadeRelation,  ///< the derivative by the relation's row
  Query,         ///< q
  Answer,        ///< e
  Score,         ///< scores, or the derivatives by them
  Shared,
};

struct ScoreKernel {
  Kernel kernel;
  std::vector<ScoreArray> arrays;  ///< by access

  [[nodiscard]] bool empty() const { return kernel.nodes.empty(); }
};

/// Rows are queries, or entities that may answer.
struct PartKernels {
  ScoreKernel make;  ///< q or e
  /// From the derivative by it: those by the rows. One that nothing depends on has no access, and
  /// without both the kernel is empty.
  ScoreKernel pull;
  /// By shared parameter that it depends on (else empty): members of a row are queries or
  /// entities, and the row is the sum of the derivatives.
  std::vector<ScoreKernel> pull_shared;
};

/// Of PairKind::Other. A row is a query and its members are entities, or the other way round: both
/// lie one behind the other, and so do a row's scores.
struct PairKernels {
  ScoreKernel score;        ///< of a query and entities
  ScoreKernel pull_query;   ///< the derivative by q: the sum over entities
  ScoreKernel pull_answer;  ///< by e: the sum over queries
};

struct ScoreKernels {
  SplitScore split;
  PartKernels query;
  PartKernels answer;  ///< empty where answer_is_row
  PairKernels pair;    ///< empty but of PairKind::Other
};

[[nodiscard]] constexpr ScoreArray shared_array(std::size_t k) {
  return static_cast<ScoreArray>(static_cast<std::size_t>(ScoreArray::Shared) + k);
}

/// Of a split of SplitInputs::Rows.
[[nodiscard]] ScoreKernels make_score_kernels(const ScoreFormula& formula, SplitScore split,
                                              DType dtype);

/// Of PairKind::Other.
[[nodiscard]] PairKernels make_pair_kernels(const SplitScore& split, DType dtype);

}  // namespace vecc::kg
