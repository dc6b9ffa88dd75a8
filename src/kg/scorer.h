// Scores of every entity as the answer of queries.
//
// A query becomes one vector q, so that its score with entity x is one sum over dimensions: of
// products (q = r * h for distmult), or of distances (q = h + r for transe). transh and transr
// project the entities first, panel by panel, by the batch's relation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/kg/embeddings.h"
#include "src/kg/formula_vectors.h"
#include "src/kg/packed_matrix.h"
#include "src/kg/query_plan.h"
#include "src/kg/tiles.h"
#include "src/kg/triple.h"

namespace vecc::kg {

/// A model's entities as panels; shared by threads. `embeddings` and `tables`, which are of it,
/// must outlive the scorer.
template <class T>
class Scorer {
 public:
  Scorer(const Embeddings& embeddings, const EmbeddingTables<T>& tables);

  /// What all queries of a batch have to have in common.
  [[nodiscard]] BatchKind batch_kind() const {
    if (formula_) return BatchKind::OneSide;
    return tables_.matrices.empty() && tables_.normals.empty() ? BatchKind::Any
                                                               : BatchKind::OneRelation;
  }
  [[nodiscard]] const Embeddings& embeddings() const { return embeddings_; }

 private:
  template <class>
  friend class QueryBatch;

  const Embeddings& embeddings_;
  // What answers a question: [entities][width], and as panels [panels][width][lanes], in which the
  // last one's missing entities are 0.
  struct Answers {
    TileKind kind = TileKind::Product;
    std::size_t width = 0;
    const T* rows = nullptr;
    std::vector<T> space;
    AlignedVector<T> panels;
  };
  void make_formula_answers(Side asked, Answers& answers) const;
  void pack_panels(Answers& answers) const;
  [[nodiscard]] const Answers& answers(Side asked) const {
    return formula_ ? answers_[static_cast<std::size_t>(asked)] : answers_[0];
  }

  const EmbeddingTables<T>& tables_;
  std::optional<FormulaVectors<T>> formula_;
  std::array<Answers, 2> answers_;  ///< of a formula by side, else the first
};

/// Some queries, ready to be scored; one thread's.
template <class T>
class QueryBatch {
 public:
  explicit QueryBatch(const Scorer<T>& scorer);

  /// Takes other queries.
  void set(std::span<const Query> queries);
  /// The rows that scores are written to: the queries, up to a whole tile.
  [[nodiscard]] std::size_t rows() const { return tiles_ * kernels_.rows; }
  /// out[q * stride + i]: query q with entity first + i; whole panels, whose last lanes are of no
  /// entity where the entities end. `first` is a multiple of kPanelLanes<T>.
  void score(std::uint32_t first, std::uint32_t count, T* out, std::size_t stride);
  /// out[i]: query queries[i] of the batch with entity entities[i], the same bits as score()'s.
  void score_pairs(std::span<const std::uint32_t> queries, std::span<const std::uint32_t> entities,
                   T* out);

 private:
  [[nodiscard]] const T* entity(std::uint32_t i) const;
  void pack_matrix(bool transposed);
  void fill_panel(std::span<const std::uint32_t> entities);
  void reject_panel(const T* panel, AlignedVector<T>& out) const;
  const T* project(const T* panel);
  void set_by_matrix(std::span<const Query> queries, Side asked);
  void set_formula(std::span<const Query> queries);
  void score_formula(std::size_t query, std::uint32_t first, std::uint32_t count, T* out) const;
  void set_transh(const Query& query, T* q) const;
  void pack(std::size_t row, const T* q);
  void run(const T* panel, std::size_t first_tile, std::size_t tiles, T* out, std::size_t stride);

  const Scorer<T>& scorer_;
  const TileKernels<T>& kernels_;
  std::size_t dim_;          ///< of q
  Side asked_ = Side::Head;  ///< of all queries, where batches are by side
  std::vector<T> vectors_;   ///< a formula's q, [queries][dim]
  std::size_t tiles_ = 0;
  std::uint32_t relation_ = 0;  ///< of all queries, where batches are by relation
  AlignedVector<T> queries_;    ///< [tiles][dim][rows]
  AlignedVector<T> bias_;       ///< by row
  PackedMatrix<T> matrix_;      ///< the relation's, or its transpose
  AlignedVector<T> gathered_;   ///< a panel
  AlignedVector<T> projected_;  ///< a panel
  AlignedVector<T> corner_;     ///< scores of one tile and panel
};

}  // namespace vecc::kg
