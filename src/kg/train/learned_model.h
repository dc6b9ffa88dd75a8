// A model's weights while it is trained: how they begin, what regularizes them, what they are as
// embeddings.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/kg/embeddings.h"
#include "src/kg/train/learned_rows.h"
#include "src/kg/train/triple_trainer.h"

namespace vecc::kg {

struct ScoreKind {
  ScoreModel model = ScoreModel::TransE;
  std::uint32_t p = 1;                                 ///< transe: the norm's
  std::shared_ptr<const ScoreCode> formula = nullptr;  ///< of ScoreModel::Formula
};

template <class T>
struct LearnedModel {
  ScoreKind score;
  LearnedRows<T> entities;   ///< complex numbers: real parts, then imaginary ones
  LearnedRows<T> relations;  ///< rows of relation_width(), or the formula's
  LearnedRows<T> shared;     ///< one row of the formula's shared parameters, or none
};

/// Entities, then relations are drawn; complex numbers as all real parts, then all imaginary ones.
/// transh: normals after the relations, then made 1 long. transr: matrices are those that change
/// nothing (Lin et al. 2015). A formula's parameters: of entities, relations, then shared ones,
/// each in the order of its text. `formula`: of ScoreModel::Formula its code.
template <class T>
[[nodiscard]] LearnedModel<T> initial_model(std::uint32_t entities, std::uint32_t relations,
                                            const TripleTrainOptions& options,
                                            std::shared_ptr<const ScoreCode> formula = nullptr);

/// Of one row.
template <class T>
[[nodiscard]] double penalty_of(const LearnedRows<T>& table, std::uint32_t row,
                                const TripleRegularizer& regularizer);
/// Adds its derivative times `scale`.
template <class T>
void add_penalty_gradient(const LearnedRows<T>& table, std::uint32_t row,
                          const TripleRegularizer& regularizer, double scale, T* sum);

template <class T>
[[nodiscard]] Embeddings embeddings_of(const LearnedModel<T>& model);
/// The other way: rows of relations [relations, relation_width()] of a model's tables; `dim` is
/// that of the entities, of a formula that of a relation's row.
template <class T>
[[nodiscard]] std::vector<T> relation_rows(ScoreModel model, const EmbeddingTables<T>& tables,
                                           std::uint32_t relations, std::size_t dim);

}  // namespace vecc::kg
