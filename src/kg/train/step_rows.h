// The rows of a model that a step reads, as dropout leaves them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kg/train/learned_model.h"
#include "src/kg/train/row_dropout.h"
#include "src/kg/train/training_batch.h"
#include "src/support/thread_team.h"

namespace vecc::kg {

/// Slots of entities are a step's parts: 0 .. queries - 1 the queries' entities, then as many
/// answers, then the drawn negatives. Slots of relations are the queries.
template <class T>
class StepRows {
 public:
  /// `model` must outlive the rows.
  StepRows(const LearnedModel<T>& model, const TripleDropout& dropout, std::uint64_t seed);

  /// Those of a batch, which is read until the next call.
  void begin(const TrainingBatch& batch, ThreadTeam& team);

  /// [dim]
  [[nodiscard]] const T* anchor(std::size_t query) const { return entity(query); }
  [[nodiscard]] const T* answer(std::size_t query) const { return entity(queries_ + query); }
  /// Negative i of all chunks.
  [[nodiscard]] const T* negative(std::size_t i) const { return entity(2 * queries_ + i); }
  /// [relation's width]; `space` is for what is not in the model.
  [[nodiscard]] const T* relation(std::size_t query, std::vector<T>& space) const;

  /// Rows of entities one after another, and which of them is read in a slot.
  [[nodiscard]] const T* entity_table() const {
    return entities_.drops() ? dropped_.data() : model_.entities.values.data();
  }
  [[nodiscard]] std::uint32_t entity_place(std::size_t slot) const {
    return entities_.drops() ? static_cast<std::uint32_t>(slot) : row_of(slot);
  }

  [[nodiscard]] bool drops_relations() const { return relations_.drops(); }
  /// Adds the derivative by a row to `sum`, if `gradient` is that by what the step reads of it.
  void add_entity_gradient(std::size_t slot, const T* gradient, T* sum) const;
  void add_relation_gradient(std::size_t query, const T* gradient, T* sum) const {
    relations_.add_gradient(query, gradient, model_.relations.width, sum);
  }

  /// What it holds between steps.
  [[nodiscard]] std::uint64_t bytes() const { return dropped_.size() * sizeof(T); }

 private:
  [[nodiscard]] std::uint32_t row_of(std::size_t slot) const;
  [[nodiscard]] const T* entity(std::size_t slot) const {
    return entities_.drops() ? dropped_.data() + slot * model_.entities.width
                             : model_.entities.row(row_of(slot));
  }

  const LearnedModel<T>& model_;
  TripleDropout dropout_;
  std::uint64_t seed_;
  RowDropout<T> entities_;
  RowDropout<T> relations_;
  const TrainingBatch* batch_ = nullptr;
  std::size_t queries_ = 0;
  std::vector<T> dropped_;  ///< [slots][dim], where entities are dropped
};

}  // namespace vecc::kg
