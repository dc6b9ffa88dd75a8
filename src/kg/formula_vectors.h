// What a user's score makes of queries and of entities (score_formula/split_score.h), by the rows
// of a model.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kg/formulas/kinds.h"
#include "src/kg/score_formula/score_code.h"

namespace vecc::kg {

/// What a score is of q and e. Error: a failed check for PairKind::Other.
[[nodiscard]] TileKind tile_kind_of(PairKind kind);

/// The code of one question, and shared parameters; T is the code's dtype.
template <class T>
class FormulaVectors {
 public:
  /// `code` must outlive it, as must `shared`, its shared parameters one after another.
  FormulaVectors(const ScoreCode& code, const T* shared);

  [[nodiscard]] const ScoreSideCode& side(Side asked) const {
    return code_->side(asked == Side::Tail);
  }
  [[nodiscard]] std::size_t query_width(Side asked) const {
    return side(asked).split.query->shape.size();
  }
  [[nodiscard]] std::size_t answer_width(Side asked) const {
    return side(asked).split.answer->shape.size();
  }
  [[nodiscard]] const ScoreCode& code() const { return *code_; }
  [[nodiscard]] const std::vector<const void*>& shared() const { return shared_; }
  /// With the shared parameters.
  [[nodiscard]] ScoreOperands operands() const;

  /// q of `count` queries, whose rows are at `anchors` and `relations` of tables that begin with
  /// `entity_rows` and `relation_rows`.
  void make_queries(Side asked, const T* entity_rows, const std::uint32_t* anchors,
                    const T* relation_rows, const std::uint32_t* relations, std::uint32_t count,
                    T* out) const;
  /// e of the entities whose rows are at `rows`; not where the answer is the row as it is.
  void make_answers(Side asked, const T* entity_rows, const std::uint32_t* rows,
                    std::uint32_t count, T* out) const;
  /// Scores of a query with entities whose e lie one behind the other; PairKind::Other.
  void score(Side asked, const T* query, const T* answers, std::uint32_t count, T* out) const;

 private:
  const ScoreCode* code_;
  std::vector<const void*> shared_;
};

}  // namespace vecc::kg
