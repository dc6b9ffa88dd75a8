// Scores of a batch's queries with their answers and negatives, the loss of them, and its
// derivatives by queries, answers and negatives: forward and backward without the scores' own
// operands ever being stored by (query, negative).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/kg/query_formula.h"
#include "src/kg/train/formula_terms.h"
#include "src/kg/train/gradient_tiles.h"
#include "src/kg/train/learned_model.h"
#include "src/kg/train/matrix_terms.h"
#include "src/kg/train/step_rows.h"
#include "src/kg/train/training_batch.h"
#include "src/kg/train/triple_loss.h"
#include "src/support/thread_team.h"

namespace vecc::kg {

template <class T>
class ScorePass {
 public:
  /// `model` and `team` must outlive the pass.
  ScorePass(const LearnedModel<T>& model, ThreadTeam& team, const TripleDropout& dropout,
            std::uint64_t seed);

  /// The batch's mean loss over queries. The derivatives of it are then in the pass.
  [[nodiscard]] double run(const TrainingBatch& batch, const BatchMaker& maker,
                           const TripleLossOptions& loss);

  /// What the last run read.
  [[nodiscard]] const StepRows<T>& rows() const { return rows_; }
  /// By query, by its answer: [queries][dim]; by a chunk's negatives: [chunks][negatives][dim].
  [[nodiscard]] const T* by_query(std::size_t i) const { return by_query_.data() + i * dim_; }
  [[nodiscard]] T by_bias(std::size_t i) const { return by_bias_[i]; }
  /// transh: by u of projected_query.h; of other scores null.
  [[nodiscard]] const T* by_normal(std::size_t i) const {
    return has_planes_ ? by_normal_.data() + i * dim_ : nullptr;
  }
  [[nodiscard]] const T* by_answer(std::size_t i) const { return by_answer_.data() + i * dim_; }
  [[nodiscard]] const T* by_negative(std::size_t i) const { return by_negative_.data() + i * dim_; }

  /// transr: what is passed on beside; of other scores null.
  [[nodiscard]] const MatrixTerms<T>* matrices() const { return matrices_.get(); }

  /// A user's score: what derivatives pass on; of other scores null.
  [[nodiscard]] const FormulaTerms<T>* formula() const { return formula_.get(); }

  /// What it holds between runs.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  using Aligned = AlignedVector<T>;
  struct TileTask {
    std::uint32_t chunk;
    std::uint32_t first;  ///< query of the chunk
  };
  void lay_out(const TrainingBatch& batch);
  void make_queries(const TrainingBatch& batch);
  void pack_negatives(const TrainingBatch& batch);
  void score_tile(const TrainingBatch& batch, const BatchMaker& maker,
                  const TripleLossOptions& loss, const TileTask& task);
  void run_tile(TileKind kind, const Chunk& chunk, const TileTask& task, const Aligned& vectors,
                Aligned& out) const;
  void finish_row(const TrainingBatch& batch, const BatchMaker& maker,
                  const TripleLossOptions& loss, std::uint32_t chunk, std::uint32_t query);
  void leave_out(const TrainingBatch& batch, const BatchMaker& maker, std::uint32_t chunk,
                 std::uint32_t query);
  void complete_scores(std::uint32_t chunk, std::uint32_t query, std::size_t count);
  [[nodiscard]] T score_answer(std::size_t query) const;
  void differentiate_planes(std::size_t query, std::size_t count, T by_positive);
  [[nodiscard]] bool has_tiles() const { return !formula_ || formula_->has_tiles(); }
  [[nodiscard]] const T* answer_of(std::size_t query) const {
    return formula_ ? formula_->answer(query) : rows_.answer(query);
  }
  [[nodiscard]] const T* negative(std::size_t i) const {
    return formula_ ? formula_->negative(i) : rows_.negative(i);
  }
  void differentiate_pairs(const TrainingBatch& batch);
  void differentiate_slice(const TrainingBatch& batch, std::size_t chunk, std::size_t slice);
  void differentiate_answer(std::size_t query);

  const LearnedModel<T>& model_;
  ThreadTeam& team_;
  StepRows<T> rows_;
  TileKind kind_;
  std::size_t dim_;
  std::size_t parts_;  ///< a number's: 2 of complex ones that are not told apart
  bool has_planes_;    ///< transh
  std::unique_ptr<MatrixTerms<T>> matrices_;  ///< transr
  std::unique_ptr<FormulaTerms<T>> formula_;  ///< a user's score
  std::size_t stride_ = 0;                    ///< of a row of scores
  std::vector<std::size_t> score_row_;        ///< by chunk: its first
  std::vector<std::size_t> row_of_;           ///< by query: that of its scores
  std::vector<TileTask> tiles_;
  Aligned queries_;  ///< [queries][dim]
  Aligned bias_;     ///< [queries]
  Aligned panels_;   ///< [chunks][panels][dim][lanes]
  Aligned scores_;   ///< then the derivatives by them
  Aligned normals_;  ///< transh: u, [queries][dim]
  Aligned along_;    ///< transh: u.e, as scores_; then the derivatives by them
  Aligned by_query_;
  Aligned by_normal_;
  Aligned by_bias_;
  Aligned by_answer_;
  Aligned by_negative_;
  std::vector<T> positive_;        ///< by query: the derivative by its answer's score
  std::vector<T> positive_along_;  ///< transh: by u.e of its answer
  std::vector<double> losses_;
};

}  // namespace vecc::kg
