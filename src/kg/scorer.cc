#include "src/kg/scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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
    : embeddings_(embeddings), tables_(tables) {
  if (!embeddings.formula) {
    answers_[0].kind = tile_kind(embeddings.model, embeddings.p);
    answers_[0].width = embeddings.dim;
    answers_[0].rows = tables.entities.data();
    pack_panels(answers_[0]);
    return;
  }
  formula_.emplace(*embeddings.formula, tables.shared.data());
  for (const Side asked : {Side::Head, Side::Tail}) {
    Answers& answers = answers_[static_cast<std::size_t>(asked)];
    make_formula_answers(asked, answers);
    if (!embeddings.formula->has_tiles()) continue;
    answers.kind = tile_kind_of(formula_->side(asked).split.kind);
    pack_panels(answers);
  }
}

template <class T>
void Scorer<T>::make_formula_answers(Side asked, Answers& answers) const {
  answers.width = formula_->answer_width(asked);
  answers.rows = tables_.entities.data();
  if (formula_->side(asked).split.answer_is_row) return;
  std::vector<std::uint32_t> all(embeddings_.entities);
  std::iota(all.begin(), all.end(), 0u);
  answers.space.resize(all.size() * answers.width);
  formula_->make_answers(asked, answers.rows, all.data(), embeddings_.entities,
                         answers.space.data());
  answers.rows = answers.space.data();
}

template <class T>
void Scorer<T>::pack_panels(Answers& answers) const {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const std::size_t width = answers.width;
  answers.panels.resize(round_up(embeddings_.entities, kLanes) * width);
  for (std::size_t i = 0; i < embeddings_.entities; ++i) {
    T* const panel = answers.panels.data() + i / kLanes * kLanes * width;
    for (std::size_t k = 0; k < width; ++k) {
      panel[k * kLanes + i % kLanes] = answers.rows[i * width + k];
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
  asked_ = queries.front().asked;
  if (scorer_.formula_) return set_formula(queries);
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
void QueryBatch<T>::set_formula(std::span<const Query> queries) {
  dim_ = scorer_.formula_->query_width(asked_);
  std::vector<std::uint32_t> anchors;
  std::vector<std::uint32_t> relations;
  for (const Query& query : queries) {
    anchors.push_back(query.anchor);
    relations.push_back(query.relation);
  }
  vectors_.resize(queries.size() * dim_);
  scorer_.formula_->make_queries(asked_, scorer_.tables_.entities.data(), anchors.data(),
                                 scorer_.tables_.relations.data(), relations.data(),
                                 static_cast<std::uint32_t>(queries.size()), vectors_.data());
  if (!scorer_.formula_->code().has_tiles()) return;
  queries_.assign(tiles_ * kernels_.rows * dim_, 0);
  for (std::size_t i = 0; i < queries.size(); ++i) pack(i, vectors_.data() + i * dim_);
  gathered_.resize(scorer_.answers(asked_).width * kPanelLanes<T>);
}

// A formula that is no sum over dimensions; a NaN is the lowest score, as a tile's.
template <class T>
void QueryBatch<T>::score_formula(std::size_t query, std::uint32_t first, std::uint32_t count,
                                  T* out) const {
  const auto& answers = scorer_.answers(asked_);
  scorer_.formula_->score(asked_, vectors_.data() + query * dim_,
                          answers.rows + std::size_t{first} * answers.width, count, out);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (std::isnan(out[i])) out[i] = -std::numeric_limits<T>::infinity();
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
  const std::size_t width = gathered_.size() / kLanes;
  const T* const rows = scorer_.answers(asked_).rows;
  std::ranges::fill(gathered_, T{0});
  for (std::size_t lane = 0; lane < entities.size(); ++lane) {
    const T* const x = rows + entities[lane] * width;
    for (std::size_t k = 0; k < width; ++k) gathered_[k * kLanes + lane] = x[k];
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
  const auto run_tile = kernels_.of(scorer_.answers(asked_).kind);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t at = first_tile + tile;
    run_tile(queries_.data() + at * rows * dim_, columns, static_cast<std::uint32_t>(dim_),
             bias_.data() + at * rows, out + tile * rows * stride, stride);
  }
}

template <class T>
void QueryBatch<T>::score(std::uint32_t first, std::uint32_t count, T* out, std::size_t stride) {
  constexpr std::uint32_t kLanes = kPanelLanes<T>;
  const auto& answers = scorer_.answers(asked_);
  if (answers.panels.empty()) {
    for (std::size_t q = 0; q < vectors_.size() / dim_; ++q) {
      score_formula(q, first, count, out + q * stride);
    }
    return;
  }
  for (std::uint32_t i = 0; i < count; i += kLanes) {
    run(answers.panels.data() + std::size_t{first + i} * answers.width, 0, tiles_, out + i, stride);
  }
}

template <class T>
void QueryBatch<T>::score_pairs(std::span<const std::uint32_t> queries,
                                std::span<const std::uint32_t> entities, T* out) {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const std::size_t rows = kernels_.rows;
  if (scorer_.answers(asked_).panels.empty()) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      score_formula(queries[i], entities[i], 1, out + i);
    }
    return;
  }
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
