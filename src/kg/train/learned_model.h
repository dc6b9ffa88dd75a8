// A model's weights while it is trained: how they begin, what regularizes them, what they are as
// embeddings.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kg/embeddings.h"
#include "src/kg/train/learned_rows.h"
#include "src/kg/train/triple_trainer.h"

namespace vecc::kg {

struct ScoreKind {
  ScoreModel model = ScoreModel::TransE;
  std::uint32_t p = 1;  ///< transe: the norm's
};

template <class T>
struct LearnedModel {
  ScoreKind score;
  LearnedRows<T> entities;   ///< complex numbers: real parts, then imaginary ones
  LearnedRows<T> relations;  ///< rows of relation_width()
};

/// Entities, then relations are drawn; complex numbers as all real parts, then all imaginary ones.
/// transh: normals after the relations, then made 1 long. transr: matrices are those that change
/// nothing (Lin et al. 2015).
template <class T>
[[nodiscard]] LearnedModel<T> initial_model(std::uint32_t entities, std::uint32_t relations,
                                            const TripleTrainOptions& options);

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
/// The other way: rows of relations [relations, relation_width()] of a model's tables.
template <class T>
[[nodiscard]] std::vector<T> relation_rows(ScoreModel model, const EmbeddingTables<T>& tables,
                                           std::uint32_t relations, std::size_t dim);

}  // namespace vecc::kg
