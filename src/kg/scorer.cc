#include "src/kg/scorer.h"

#include <algorithm>
#include <vector>

#include "src/kg/query_formula.h"
#include "src/kg/vector_sums.h"

namespace vecc::kg {
namespace {

std::size_t round_up(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace

template <class T>
Scorer<T>::Scorer(const Embeddings& embeddings, const EmbeddingTables<T>& tables)
    : embeddings_(embeddings), tables_(tables), kind_(tile_kind(embeddings.model, embeddings.p)) {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const std::size_t dim = embeddings.dim;
  panels_.resize(round_up(embeddings.entities, kLanes) * dim);
  for (std::size_t i = 0; i < embeddings.entities; ++i) {
    T* const panel = panels_.data() + i / kLanes * kLanes * dim;
    for (std::size_t k = 0; k < dim; ++k) {
      panel[k * kLanes + i % kLanes] = tables.entities[i * dim + k];
    }
  }
}

template <class T>
QueryBatch<T>::QueryBatch(const Scorer<T>& scorer)
    : scorer_(scorer), kernels_(tile_kernels<T>()), dim_(scorer.embeddings_.relation_dim) {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const Embeddings& e = scorer.embeddings_;
  const std::size_t widest = round_up(std::max(e.dim, e.relation_dim), kernels_.rows);
  gathered_.resize(e.dim * kLanes);
  projected_.resize(widest * kLanes);
  corner_.resize(kernels_.rows * kLanes);
}

template <class T>
const T* QueryBatch<T>::entity(std::uint32_t i) const {
  return scorer_.tables_.entities.data() + std::size_t{i} * scorer_.embeddings_.dim;
}

template <class T>
void QueryBatch<T>::pack(std::size_t row, const T* q) {
  const std::size_t rows = kernels_.rows;
  T* const tile = queries_.data() + row / rows * rows * dim_;
  for (std::size_t k = 0; k < dim_; ++k) tile[k * rows + row % rows] = q[k];
}

template <class T>
void QueryBatch<T>::set(std::span<const Query> queries) {
  const std::size_t padded = round_up(queries.size(), kernels_.rows);
  tiles_ = padded / kernels_.rows;
  queries_.assign(padded * dim_, 0);
  bias_.assign(padded, 0);
  if (queries.empty()) return;
  relation_ = queries.front().relation;
  if (!scorer_.tables_.matrices.empty()) {
    // transr keeps the matrix to project what is scored.
    const bool is_rescal = scorer_.embeddings_.model == ScoreModel::Rescal;
    pack_matrix(is_rescal);
    set_by_matrix(queries, Side::Tail);
    if (is_rescal) pack_matrix(false);
    set_by_matrix(queries, Side::Head);
    return;
  }
  std::vector<T> q(dim_);
  const Embeddings& e = scorer_.embeddings_;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Query& query = queries[i];
    if (e.model == ScoreModel::TransH) {
      set_transh(query, q.data());
    } else {
      const T* const r = scorer_.tables_.relations.data() + std::size_t{query.relation} * dim_;
      make_query(e.model, query.asked, entity(query.anchor), r, dim_, q.data(), bias_[i]);
    }
    pack(i, q.data());
  }
}

template <class T>
void QueryBatch<T>::set_transh(const Query& query, T* q) const {
  const T* const x = entity(query.anchor);
  const T* const r = scorer_.tables_.relations.data() + std::size_t{query.relation} * dim_;
  const T* const w = scorer_.tables_.normals.data() + std::size_t{query.relation} * dim_;
  const T factor = dot(w, x, dim_) / dot(w, w, dim_);
  for (std::size_t k = 0; k < dim_; ++k) {
    const T projected = x[k] - factor * w[k];
    q[k] = query.asked == Side::Tail ? projected + r[k] : projected - r[k];
  }
}

template <class T>
void QueryBatch<T>::pack_matrix(bool transposed) {
  const Embeddings& e = scorer_.embeddings_;
  const std::size_t height = e.relation_dim;
  matrix_.pack(scorer_.tables_.matrices.data() + height * e.dim * relation_, height, e.dim,
               transposed);
}

// q of the queries that ask for one side: M^T h and M t of rescal, M h + r and M t - r of transr.
template <class T>
void QueryBatch<T>::set_by_matrix(std::span<const Query> queries, Side asked) {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const bool has_vector = !scorer_.tables_.relations.empty();
  const T* const r = has_vector ? scorer_.tables_.relations.data() + dim_ * relation_ : nullptr;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> anchors;
  std::vector<T> q(dim_);
  for (std::size_t i = 0; i <= queries.size(); ++i) {
    if (rows.size() == kLanes || (i == queries.size() && !rows.empty())) {
      fill_panel(anchors);
      matrix_.multiply(gathered_.data(), projected_.data());
      for (std::size_t lane = 0; lane < rows.size(); ++lane) {
        for (std::size_t k = 0; k < dim_; ++k) {
          q[k] = projected_[k * kLanes + lane];
          if (has_vector) q[k] += asked == Side::Tail ? r[k] : -r[k];
        }
        pack(rows[lane], q.data());
      }
      rows.clear();
      anchors.clear();
    }
    if (i == queries.size() || queries[i].asked != asked) continue;
    rows.push_back(static_cast<std::uint32_t>(i));
    anchors.push_back(queries[i].anchor);
  }
}

template <class T>
void QueryBatch<T>::fill_panel(std::span<const std::uint32_t> entities) {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  std::ranges::fill(gathered_, T{0});
  for (std::size_t lane = 0; lane < entities.size(); ++lane) {
    const T* const x = entity(entities[lane]);
    for (std::size_t k = 0; k < scorer_.embeddings_.dim; ++k) gathered_[k * kLanes + lane] = x[k];
  }
}

// x - (w.x) / (w.w) w of each entity of a panel.
template <class T>
void QueryBatch<T>::reject_panel(const T* panel, AlignedVector<T>& out) const {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const T* const w = scorer_.tables_.normals.data() + dim_ * relation_;
  const T squares = dot(w, w, dim_);
  T factors[kLanes] = {};
  for (std::size_t k = 0; k < dim_; ++k) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      factors[lane] += w[k] * panel[k * kLanes + lane];
  }
  for (T& factor : factors) factor /= squares;
  for (std::size_t k = 0; k < dim_; ++k) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      out[k * kLanes + lane] = panel[k * kLanes + lane] - factors[lane] * w[k];
    }
  }
}

template <class T>
const T* QueryBatch<T>::project(const T* panel) {
  const ScoreModel model = scorer_.embeddings_.model;
  if (model == ScoreModel::TransR) {
    matrix_.multiply(panel, projected_.data());
  } else if (model == ScoreModel::TransH) {
    reject_panel(panel, projected_);
  } else {
    return panel;
  }
  return projected_.data();
}

template <class T>
void QueryBatch<T>::run(const T* panel, std::size_t first_tile, std::size_t tiles, T* out,
                        std::size_t stride) {
  const T* const columns = project(panel);
  const std::size_t rows = kernels_.rows;
  const auto run_tile = kernels_.of(scorer_.kind_);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t at = first_tile + tile;
    run_tile(queries_.data() + at * rows * dim_, columns, static_cast<std::uint32_t>(dim_),
             bias_.data() + at * rows, out + tile * rows * stride, stride);
  }
}

template <class T>
void QueryBatch<T>::score(std::uint32_t first, std::uint32_t count, T* out, std::size_t stride) {
  constexpr std::uint32_t kLanes = kPanelLanes<T>;
  for (std::uint32_t i = 0; i < count; i += kLanes) {
    run(scorer_.panels_.data() + std::size_t{first + i} * scorer_.embeddings_.dim, 0, tiles_,
        out + i, stride);
  }
}

template <class T>
void QueryBatch<T>::score_pairs(std::span<const std::uint32_t> queries,
                                std::span<const std::uint32_t> entities, T* out) {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const std::size_t rows = kernels_.rows;
  for (std::size_t begin = 0; begin < queries.size();) {
    const std::size_t tile = queries[begin] / rows;
    std::size_t end = begin;
    while (end < queries.size() && end - begin < kLanes && queries[end] / rows == tile) ++end;
    fill_panel(entities.subspan(begin, end - begin));
    run(gathered_.data(), tile, 1, corner_.data(), kLanes);
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = corner_[queries[i] % rows * kLanes + (i - begin)];
    }
    begin = end;
  }
}

template class Scorer<float>;
template class Scorer<double>;
template class QueryBatch<float>;
template class QueryBatch<double>;

}  // namespace vecc::kg
