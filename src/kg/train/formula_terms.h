// A user's score in a step: q of queries and e of entities that answer (split_score.h), and what
// the derivatives by them pass on to rows and to shared parameters.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "src/kg/formula_vectors.h"
#include "src/kg/train/learned_model.h"
#include "src/kg/train/parallel_tasks.h"
#include "src/kg/train/step_rows.h"
#include "src/kg/train/training_batch.h"
#include "src/support/thread_team.h"

namespace vecc::kg {

/// q, e of answers and e of negatives lie in three arrays: queries of one side one behind the
/// other, rows of stride(). Arrays of derivatives have the same places.
template <class T>
class FormulaTerms {
 public:
  /// All must outlive the terms; the model has a formula.
  FormulaTerms(const LearnedModel<T>& model, ThreadTeam& team);

  /// Makes q and e of a batch.
  void begin(const TrainingBatch& batch, const StepRows<T>& rows);

  [[nodiscard]] bool has_tiles() const { return vectors_.code().has_tiles(); }
  /// Of has_tiles(): numbers of each q and e, the last ones of a shorter one are 0.
  [[nodiscard]] std::size_t tile_width() const;
  [[nodiscard]] std::size_t query_numbers() const { return queries_.size(); }
  [[nodiscard]] std::size_t answer_numbers() const { return answers_.size(); }
  [[nodiscard]] std::size_t negative_numbers() const { return negatives_.size(); }
  [[nodiscard]] const T* query(std::size_t i) const { return queries_.data() + query_place(i); }
  [[nodiscard]] const T* answer(std::size_t i) const { return answers_.data() + answer_place(i); }
  [[nodiscard]] const T* negative(std::size_t i) const {
    return negatives_.data() + negative_place(i);
  }

  // Without tiles.

  /// The scores of a query with its chunk's negatives; NaN stays.
  void score_negatives(std::size_t chunk, std::size_t query, T* scores) const;
  [[nodiscard]] T score_positive(std::size_t query) const;
  /// From the derivatives by scores (a query's are at by_scores(query)) and by positives those by q
  /// and e, which are set.
  template <class RowOf>
  void differentiate(const RowOf& by_scores, const std::vector<T>& by_positive, T* by_query,
                     T* by_answer, T* by_negative) const {
    const std::size_t count = batch_->negative_count;
    run_tasks(team_, batch_->chunks.size(), [&](std::size_t c) {
      const Chunk& chunk = batch_->chunks[c];
      for (std::size_t i = chunk.first; i < chunk.first + chunk.count; ++i) {
        pull_pairs_of_query(c, i, by_scores(i), by_positive[i], by_query + query_place(i),
                            by_answer + answer_place(i));
      }
    });
    run_tasks(team_, batch_->chunks.size() * count, [&](std::size_t j) {
      const Chunk& chunk = batch_->chunks[j / count];
      std::vector<T> column(chunk.count);
      for (std::size_t i = 0; i < chunk.count; ++i) {
        column[i] = by_scores(chunk.first + i)[j % count];
      }
      pull_pairs_of_negative(j, column.data(), by_negative + negative_place(j));
    });
  }

  /// From the derivatives by q and e those by rows and by shared parameters.
  void pull(const T* by_query, const T* by_answer, const T* by_negative);
  /// By what the step reads in a slot of StepRows, and of a query's relation.
  [[nodiscard]] const T* by_entity(std::size_t slot) const {
    return by_entities_.data() + slot * model_.entities.width;
  }
  [[nodiscard]] const T* by_relation(std::size_t query) const {
    return by_relations_.data() + query * model_.relations.width;
  }
  [[nodiscard]] const std::vector<T>& by_shared() const { return by_shared_; }

  /// What it holds between steps.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  // Of one side: its queries, answers and negatives.
  struct Group {
    Side asked = Side::Tail;
    std::size_t first_query = 0;
    std::size_t query_count = 0;
    std::size_t first_negative = 0;
    std::size_t negative_count = 0;
    std::size_t query_stride = 0;
    std::size_t answer_stride = 0;
    std::size_t query_begin = 0;  ///< numbers, in their arrays
    std::size_t answer_begin = 0;
    std::size_t negative_begin = 0;
  };
  // Rows that one function makes or pulls.
  struct Rows {
    Side asked;
    bool of_query;
    std::size_t first_slot;
    std::size_t count;
    std::size_t stride;
  };
  void find_groups();
  void find_rows(const StepRows<T>& rows);
  template <class Body>
  void each_rows(const Body& body) const;
  [[nodiscard]] const Group& group_of(std::size_t query) const {
    return groups_[query < groups_[0].query_count ? 0 : 1];
  }
  [[nodiscard]] std::size_t query_place(std::size_t i) const {
    const Group& group = group_of(i);
    return group.query_begin + (i - group.first_query) * group.query_stride;
  }
  [[nodiscard]] std::size_t answer_place(std::size_t i) const {
    const Group& group = group_of(i);
    return group.answer_begin + (i - group.first_query) * group.answer_stride;
  }
  [[nodiscard]] std::size_t negative_place(std::size_t i) const {
    const Group& group = groups_[i < groups_[0].negative_count ? 0 : 1];
    return group.negative_begin + (i - group.first_negative) * group.answer_stride;
  }
  [[nodiscard]] std::size_t width_of(const Rows& rows) const {
    return rows.of_query ? vectors_.query_width(rows.asked) : vectors_.answer_width(rows.asked);
  }
  [[nodiscard]] ScoreOperands operands_of(const Rows& rows, std::size_t first) const;
  void make(const Rows& rows, T* out);
  void pull_pairs_of_query(std::size_t chunk, std::size_t i, const T* by_scores, T by_positive,
                           T* by_query, T* by_answer) const;
  void pull_pairs_of_negative(std::size_t negative, const T* by_scores, T* by_negative) const;
  void pull_block(const Rows& rows, const T* gradients, std::size_t first, std::size_t count);
  void pull_shared(const Rows& rows, const T* gradients);
  void pull_shared_parameter(const Rows& rows, const T* gradients, const ScoreFunction& function,
                             std::size_t k);

  const LearnedModel<T>& model_;
  ThreadTeam& team_;
  FormulaVectors<T> vectors_;
  const TrainingBatch* batch_ = nullptr;
  const T* entity_rows_ = nullptr;
  const T* relation_rows_ = nullptr;
  std::vector<std::uint32_t> entity_at_;    ///< by slot: its row there
  std::vector<std::uint32_t> relation_at_;  ///< by query
  std::vector<T> relation_space_;           ///< rows that dropout changed
  std::array<Group, 2> groups_;             ///< tails, then heads
  std::vector<T> queries_;
  std::vector<T> answers_;
  std::vector<T> negatives_;
  std::vector<T> by_entities_;
  std::vector<T> by_relations_;
  std::vector<T> by_shared_;
  std::vector<T> partial_;  ///< sums of blocks
};

}  // namespace vecc::kg
