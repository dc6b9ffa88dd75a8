// transr's part of a step that is no sum over a query and an entity (projected_query.h): |M e|^2 of
// each negative with each relation that its chunk asks, and each positive's own product.
//
// A chunk's queries of one relation are a group: their negatives are multiplied with the matrix
// once, panel by panel. No product is kept: what derivatives need is multiplied again.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kg/packed_matrix.h"
#include "src/kg/train/step_rows.h"
#include "src/support/thread_team.h"

namespace vecc::kg {

template <class T>
class MatrixTerms {
 public:
  /// Both must outlive the terms.
  MatrixTerms(const LearnedModel<T>& model, ThreadTeam& team) : model_(model), team_(team) {}

  /// Of a batch; `panels`: the chunks' negatives, [chunks][stride / lanes][dim][lanes].
  void begin(const TrainingBatch& batch, const StepRows<T>& rows, const T* panels,
             std::size_t stride);

  /// The score of a query with its answer.
  [[nodiscard]] T positive(std::size_t query) const;
  /// From a query's scores with its chunk's negatives.
  void subtract_norms(std::size_t query, T* scores) const;

  /// Takes the derivatives by scores: `by_scores(query)` has those of a query, [negatives].
  template <class RowOf>
  void take_derivatives(const RowOf& by_scores) {
    by_norm_.assign(norms_.size(), 0);
    for (std::size_t i = 0; i < group_of_.size(); ++i) {
      const T* const from = by_scores(i);
      T* const to = by_norm_.data() + group_of_[i] * stride_;
      for (std::size_t j = 0; j < batch_->negative_count; ++j) to[j] -= from[j];
    }
  }
  /// Adds what the norms pass on to negatives: [chunks][negatives][dim].
  void add_to_negatives(T* by_negative) const;
  /// From the derivative by a query's positive score the one by its answer, which is set [dim];
  /// that by the query's entity is minus it.
  void differentiate_positive(std::size_t query, T by_score, T* by_answer);

  [[nodiscard]] std::size_t group_count() const { return groups_.size(); }
  [[nodiscard]] std::uint32_t relation_of(std::size_t group) const {
    return groups_[group].relation;
  }
  /// Adds what a group's norms, and a query's positive, pass on to the relation's row.
  void add_group_to_relation(std::size_t group, T* sum) const;
  void add_positive_to_relation(std::size_t query, T* sum) const;

  /// What it holds between steps.
  [[nodiscard]] std::uint64_t bytes() const {
    return (norms_.size() + by_norm_.size() + differences_.size()) * sizeof(T);
  }

 private:
  struct Group {
    std::uint32_t chunk;
    std::uint32_t relation;
  };
  void find_groups();
  void measure(const Group& group, std::size_t first_panel, std::size_t end, T* norms) const;
  void add_to_panels(std::size_t chunk, std::size_t first_panel, std::size_t end,
                     T* by_negative) const;
  [[nodiscard]] const T* matrix_of(std::uint32_t relation) const {
    return model_.relations.row(relation) + model_.entities.width;
  }
  [[nodiscard]] const T* panel(std::size_t chunk, std::size_t i) const {
    return panels_ + (chunk * stride_ + i * kPanelLanes<T>)*model_.entities.width;
  }

  const LearnedModel<T>& model_;
  ThreadTeam& team_;
  const TrainingBatch* batch_ = nullptr;
  const StepRows<T>* rows_ = nullptr;
  const T* panels_ = nullptr;
  std::size_t stride_ = 0;
  std::vector<Group> groups_;             ///< by chunk, then relation
  std::vector<std::size_t> first_group_;  ///< by chunk, and the end
  std::vector<std::uint32_t> members_;    ///< queries
  std::vector<std::uint32_t> group_of_;   ///< by query
  std::vector<T> norms_;                  ///< [groups][stride]
  std::vector<T> by_norm_;                ///< [groups][stride]
  std::vector<T> differences_;            ///< [queries][dim], then the derivatives by them
};

}  // namespace vecc::kg
