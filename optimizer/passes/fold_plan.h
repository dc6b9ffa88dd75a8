// Which rows of a Program are constant, and which values are folded into facts.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/rewrite/source_rows.h"
#include "vecc/program.h"

namespace vecc::opt {

/// Elements of a value that is computed at compile time, at most.
inline constexpr std::uint64_t kMostEvaluated = std::uint64_t{1} << 27;

/// What is done with a value.
enum class FoldDecision : std::uint8_t {
  Keep,      ///< every row is computed, as before
  DropRows,  ///< its constant rows are not needed any more: they go, the others are computed
  Fold,      ///< its constant rows that are needed become a fact, the others are computed
};

struct FoldPlan {
  std::vector<FoldDecision> decisions;  ///< by value
  /// By source row: the same for all weights and states. Rows of facts, counts, and rows that a
  /// linear, segment, transform or map makes of constant rows only. A linear with lifts has all
  /// rows constant or none (the rest of its rows could not keep the lifts); a value of more than
  /// 2^27 elements (1 GiB in double) has none.
  /// Not packed: threads write it.
  std::vector<std::uint8_t> constant;
  /// By source row: constant, and read by something that is computed.
  std::vector<std::uint8_t> needed;
  std::uint64_t folds = 0;  ///< values to fold

  /// Whether a row is in the fact that its value folds to.
  [[nodiscard]] bool in_fact(std::uint32_t number) const {
    return constant[number] != 0 && needed[number] != 0;
  }
};

/// Decides from the outputs back. A value folds if constant rows of it are needed, those are all
/// its rows or at least as many as the rest (else the concat that joins both would move more than
/// is saved), and the fact has at most 2^20 elements, or at most twice as many as its operands.
[[nodiscard]] FoldPlan plan_folds(const Program& program, const SourceRows& sources);

}  // namespace vecc::opt
