#include "src/kg/train/score_pass.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/kg/formulas/scores.h"
#include "src/kg/projected_query.h"
#include "src/kg/train/parallel_tasks.h"
#include "src/kg/train/row_kernels.h"
#include "src/kg/vector_sums.h"
#include "vecc/error.h"

namespace vecc::kg {
namespace {

std::size_t whole_units(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

// Calls body.operator()<kind>().
template <class Body>
auto with_kind(TileKind kind, const Body& body) {
  switch (kind) {
    case TileKind::Product: return body.template operator()<TileKind::Product>();
    case TileKind::L1: return body.template operator()<TileKind::L1>();
    case TileKind::SquaredL2: return body.template operator()<TileKind::SquaredL2>();
    case TileKind::L2: return body.template operator()<TileKind::L2>();
    case TileKind::ComplexL1: return body.template operator()<TileKind::ComplexL1>();
    case TileKind::Projection: break;
  }
  VECC_CHECK(false, "a sum that is no score");
}

// Number k of a row, whose imaginary parts are `half` behind the real ones; of real numbers 0.
template <class T>
formulas::Complex<T> number_of(const T* row, std::size_t k, std::size_t half) {
  return {row[k], half > 0 ? row[half + k] : T{0}};
}

template <class T>
TileKind tile_kind_of_model(const LearnedModel<T>& model) {
  const ScoreKind& score = model.score;
  if (!score.formula) return query_tile_kind(score.model, score.p);
  // Without tiles: a kind whose derivatives are by nothing but scores.
  return score.formula->has_tiles() ? tile_kind_of(score.formula->side(true).split.kind)
                                    : TileKind::Product;
}

// One score, as a tile computes many; NaN stays.
template <class T>
T score_pair(TileKind kind, const T* q, T bias, const T* x, std::size_t dim) {
  return with_kind(kind, [&]<TileKind kKind>() {
    const std::size_t half = kKind == TileKind::ComplexL1 ? dim / 2 : 0;
    T sum = 0;
    for (std::size_t k = 0; k < (half > 0 ? half : dim); ++k) {
      sum += formulas::score_term<kKind>(number_of(q, k, half), number_of(x, k, half));
    }
    return formulas::score_of<kKind>(sum, bias);
  });
}

// What a derivative by a score is by the sum of a gradient tile.
template <class T>
T inner_derivative(TileKind kind, T derivative, T score) {
  return with_kind(kind,
                   [&]<TileKind kKind>() { return formulas::by_sum<kKind>(derivative, score); });
}

}  // namespace

// Of kPanelLanes numbers, and of as many that stand dim / 2 behind them where there are two parts:
// rows to blocks without gaps, and back. What is behind the last number is 0.
struct NumberSlice {
  std::size_t first;  ///< number
  std::size_t count;  ///< at most kPanelLanes
  std::size_t parts;
  std::size_t half;  ///< dim / parts

  template <class T>
  void take(const T* row, T* block) const {
    for (std::size_t part = 0; part < parts; ++part) {
      T* const to = block + part * kPanelLanes<T>;
      if (count == kPanelLanes<T>) {  // moves of a known length are no calls
        __builtin_memcpy(to, row + part * half + first, kPanelBytes);
        continue;
      }
      std::copy_n(row + part * half + first, count, to);
      std::fill(to + count, to + kPanelLanes<T>, T{0});
    }
  }
  template <class T>
  void put(const T* block, T* row) const {
    for (std::size_t part = 0; part < parts; ++part) {
      const T* const from = block + part * kPanelLanes<T>;
      T* const to = row + part * half + first;
      if (count == kPanelLanes<T>) {
        __builtin_memcpy(to, from, kPanelBytes);
      } else {
        std::copy_n(from, count, to);
      }
    }
  }
};

template <class T>
ScorePass<T>::ScorePass(const LearnedModel<T>& model, ThreadTeam& team,
                        const TripleDropout& dropout, std::uint64_t seed)
    : model_(model),
      team_(team),
      rows_(model, dropout, seed),
      kind_(tile_kind_of_model(model)),
      dim_(model.entities.width),
      parts_(kind_ == TileKind::ComplexL1 ? 2 : 1),
      has_planes_(model.score.model == ScoreModel::TransH) {
  if (model.score.model == ScoreModel::TransR) {
    matrices_ = std::make_unique<MatrixTerms<T>>(model, team);
  }
  if (model.score.formula) {
    formula_ = std::make_unique<FormulaTerms<T>>(model, team);
    dim_ = formula_->has_tiles() ? formula_->tile_width() : 0;
  }
}

template <class T>
double ScorePass<T>::run(const TrainingBatch& batch, const BatchMaker& maker,
                         const TripleLossOptions& loss) {
  rows_.begin(batch, team_);
  if (formula_) formula_->begin(batch, rows_);
  lay_out(batch);
  make_queries(batch);
  pack_negatives(batch);
  if (matrices_) matrices_->begin(batch, rows_, panels_.data(), stride_);
  run_tasks(team_, tiles_.size(),
            [&](std::size_t task) { score_tile(batch, maker, loss, tiles_[task]); });
  differentiate_pairs(batch);
  if (formula_) formula_->pull(by_query_.data(), by_answer_.data(), by_negative_.data());
  if (matrices_) {
    matrices_->take_derivatives(
        [&](std::size_t i) { return scores_.data() + row_of_[i] * stride_; });
    matrices_->add_to_negatives(by_negative_.data());
  }
  return std::accumulate(losses_.begin(), losses_.end(), 0.0) / static_cast<double>(losses_.size());
}

template <class T>
void ScorePass<T>::lay_out(const TrainingBatch& batch) {
  const std::size_t tile_rows = tile_kernels<T>().rows;
  const std::size_t queries = batch.queries.size();
  stride_ = whole_units(batch.negative_count, kPanelLanes<T>);
  tiles_.clear();
  score_row_.clear();
  row_of_.clear();
  std::size_t rows = 0;
  for (std::uint32_t chunk = 0; chunk < batch.chunks.size(); ++chunk) {
    const std::size_t count = batch.chunks[chunk].count;
    score_row_.push_back(rows);
    for (std::size_t i = 0; i < count; ++i) row_of_.push_back(rows + i);
    rows += std::max(whole_units(count, tile_rows), whole_units(count, kGradientRows));
    for (std::size_t first = 0; first < count; first += tile_rows) {
      tiles_.push_back({chunk, static_cast<std::uint32_t>(first)});
    }
  }
  queries_.resize(queries * dim_);
  bias_.resize(queries);
  by_query_.resize(queries * dim_);
  by_bias_.resize(queries);
  by_answer_.resize(queries * dim_);
  by_negative_.resize(batch.negatives.size() * dim_);
  panels_.resize(batch.chunks.size() * stride_ * dim_);
  scores_.resize(rows * stride_);
  positive_.resize(queries);
  losses_.resize(queries);
  if (formula_) {
    by_query_.resize(formula_->query_numbers());
    by_answer_.resize(formula_->answer_numbers());
    by_negative_.resize(formula_->negative_numbers());
  }
  if (!has_planes_) return;
  normals_.resize(queries * dim_);
  by_normal_.resize(queries * dim_);
  along_.resize(rows * stride_);
  positive_along_.resize(queries);
}

template <class T>
void ScorePass<T>::make_queries(const TrainingBatch& batch) {
  if (formula_) {
    if (has_tiles()) std::copy_n(formula_->query(0), queries_.size(), queries_.data());
    return;
  }
  run_tasks(team_, batch.queries.size(), [&](std::size_t i) {
    std::vector<T> space;
    make_query(model_.score.model, batch.queries[i].asked, rows_.anchor(i),
               rows_.relation(i, space), dim_, queries_.data() + i * dim_, bias_[i]);
    if (has_planes_) unit_normal(rows_.relation(i, space), dim_, normals_.data() + i * dim_);
  });
}

template <class T>
void ScorePass<T>::pack_negatives(const TrainingBatch& batch) {
  if (!has_tiles()) return;
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const std::size_t panels = stride_ / kLanes;
  run_tasks(team_, batch.chunks.size() * panels, [&](std::size_t task) {
    const std::size_t count = batch.negative_count;
    const std::size_t chunk_begin = task / panels * count;
    const std::size_t first = task % panels * kLanes;
    T* const panel = panels_.data() + task * kLanes * dim_;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool is_there = first + lane < count;
      const T* const x = is_there ? negative(chunk_begin + first + lane) : nullptr;
      for (std::size_t k = 0; k < dim_; ++k) panel[k * kLanes + lane] = is_there ? x[k] : T{0};
    }
  });
}

// A tile's queries, or their normals, with all negatives of their chunk.
template <class T>
void ScorePass<T>::run_tile(TileKind kind, const Chunk& chunk, const TileTask& task,
                            const Aligned& vectors, Aligned& out) const {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const TileKernels<T>& kernels = tile_kernels<T>();
  const std::uint32_t count = std::min(kernels.rows, chunk.count - task.first);
  const std::size_t first = chunk.first + task.first;
  Aligned tile(dim_ * kernels.rows);
  Aligned bias(kernels.rows);
  for (std::size_t row = 0; row < count; ++row) {
    const T* const q = vectors.data() + (first + row) * dim_;
    for (std::size_t k = 0; k < dim_; ++k) tile[k * kernels.rows + row] = q[k];
    bias[row] = bias_[first + row];
  }
  T* const to = out.data() + (score_row_[task.chunk] + task.first) * stride_;
  const T* const panels = panels_.data() + task.chunk * stride_ * dim_;
  for (std::size_t at = 0; at < stride_; at += kLanes) {
    kernels.of(kind)(tile.data(), panels + at * dim_, static_cast<std::uint32_t>(dim_), bias.data(),
                     to + at, stride_);
  }
  if (task.first + kernels.rows < chunk.count) return;
  // Rows behind the last query.
  const std::size_t end = whole_units(chunk.count, kGradientRows);
  for (std::size_t row = chunk.count; row < end; ++row) {
    std::fill_n(out.data() + (score_row_[task.chunk] + row) * stride_, stride_, T{0});
  }
}

template <class T>
void ScorePass<T>::score_tile(const TrainingBatch& batch, const BatchMaker& maker,
                              const TripleLossOptions& loss, const TileTask& task) {
  const Chunk& chunk = batch.chunks[task.chunk];
  if (has_tiles()) run_tile(kind_, chunk, task, queries_, scores_);
  if (has_planes_) run_tile(TileKind::Projection, chunk, task, normals_, along_);
  const std::uint32_t end = std::min(task.first + tile_kernels<T>().rows, chunk.count);
  for (std::uint32_t i = task.first; i < end; ++i) {
    finish_row(batch, maker, loss, task.chunk, chunk.first + i);
  }
}

// A query's scores become the derivatives by them.
template <class T>
void ScorePass<T>::finish_row(const TrainingBatch& batch, const BatchMaker& maker,
                              const TripleLossOptions& loss, std::uint32_t chunk,
                              std::uint32_t query) {
  const std::size_t count = batch.negative_count;
  T* const scores = scores_.data() + row_of_[query] * stride_;
  complete_scores(chunk, query, count);
  if (!maker.has_labels()) leave_out(batch, maker, chunk, query);
  std::vector<T> before;
  if (kind_ == TileKind::L2) before.assign(scores, scores + count);
  const T score = score_answer(query);
  const double scale = 1.0 / static_cast<double>(batch.queries.size());
  // With labels an answer's score is one of all entities'; the drawn one's own is not read.
  T derivative = maker.has_labels() ? T{0} : score;
  losses_[query] = maker.has_labels()
                       ? labelled_loss(loss, scale, maker.known().answers(batch.queries[query]),
                                       std::span(scores, count))
                       : triple_loss(loss, scale, derivative, std::span(scores, count));
  // transr's positive is by no bias.
  by_bias_[query] = std::accumulate(scores, scores + count, matrices_ ? T{0} : derivative);
  if (has_planes_) differentiate_planes(query, count, derivative);
  positive_[query] = inner_derivative(kind_, derivative, score);
  if (kind_ != TileKind::L2 && kind_ != TileKind::SquaredL2) return;
  for (std::size_t j = 0; j < count; ++j) {
    scores[j] = inner_derivative(kind_, scores[j], before.empty() ? T{0} : before[j]);
  }
}

// A query's scores with what is no negative.
template <class T>
void ScorePass<T>::leave_out(const TrainingBatch& batch, const BatchMaker& maker,
                             std::uint32_t chunk, std::uint32_t query) {
  T* const scores = scores_.data() + row_of_[query] * stride_;
  std::vector<std::uint8_t> is_negative(batch.negative_count);
  maker.mark_negatives(batch, chunk, query, is_negative);
  for (std::size_t j = 0; j < is_negative.size(); ++j) {
    if (is_negative[j] == 0) scores[j] = kNoNegative<T>;
  }
}

// What scores have beside a tile's sum; of a NaN what a tile makes of it.
template <class T>
void ScorePass<T>::complete_scores(std::uint32_t chunk, std::uint32_t query, std::size_t count) {
  if (!has_planes_ && !matrices_ && has_tiles()) return;
  T* const scores = scores_.data() + row_of_[query] * stride_;
  if (!has_tiles()) formula_->score_negatives(chunk, query, scores);
  const T* const along = has_planes_ ? along_.data() + row_of_[query] * stride_ : nullptr;
  if (matrices_) matrices_->subtract_norms(query, scores);
  for (std::size_t j = 0; j < count; ++j) {
    if (has_planes_) scores[j] += formulas::plane_term(along[j], bias_[query]);
    if (std::isnan(scores[j])) scores[j] = kNoNegative<T>;
  }
}

template <class T>
T ScorePass<T>::score_answer(std::size_t query) const {
  if (matrices_) return matrices_->positive(query);
  if (!has_tiles()) return formula_->score_positive(query);
  const T* const e = answer_of(query);
  const T score = score_pair(kind_, queries_.data() + query * dim_, bias_[query], e, dim_);
  if (!has_planes_) return score;
  return score + formulas::plane_term(dot(normals_.data() + query * dim_, e, dim_), bias_[query]);
}

// transh: from the derivatives by scores those by u.e and c (projected_query.h).
template <class T>
void ScorePass<T>::differentiate_planes(std::size_t query, std::size_t count, T by_positive) {
  const T* const by_score = scores_.data() + row_of_[query] * stride_;
  T* const along = along_.data() + row_of_[query] * stride_;
  const T c = bias_[query];
  const T s = dot(normals_.data() + query * dim_, rows_.answer(query), dim_);
  T by_c = -2 * s * by_positive;
  positive_along_[query] = 2 * (s - c) * by_positive;
  for (std::size_t j = 0; j < count; ++j) {
    by_c -= 2 * along[j] * by_score[j];
    along[j] = 2 * (along[j] - c) * by_score[j];
  }
  by_bias_[query] = by_c;
}

// From the derivatives by scores those by queries and entities.
template <class T>
void ScorePass<T>::differentiate_pairs(const TrainingBatch& batch) {
  if (!has_tiles()) {
    const auto by_scores = [&](std::size_t i) { return scores_.data() + row_of_[i] * stride_; };
    return formula_->differentiate(by_scores, positive_, by_query_.data(), by_answer_.data(),
                                   by_negative_.data());
  }
  const std::size_t slices = (dim_ / parts_ + kPanelLanes<T> - 1) / kPanelLanes<T>;
  run_tasks(team_, batch.chunks.size() * slices,
            [&](std::size_t task) { differentiate_slice(batch, task / slices, task % slices); });
  run_tasks(team_, batch.queries.size(), [&](std::size_t query) { differentiate_answer(query); });
}

template <class T>
void ScorePass<T>::differentiate_slice(const TrainingBatch& batch, std::size_t chunk,
                                       std::size_t slice) {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const Chunk& queries = batch.chunks[chunk];
  const std::size_t negatives = batch.negative_count;
  const std::size_t half = dim_ / parts_;
  const NumberSlice numbers{slice * kLanes, std::min(kLanes, half - slice * kLanes), parts_, half};
  const std::size_t width = parts_ * kLanes;
  const std::size_t rows = whole_units(queries.count, kGradientRows);
  Aligned x(negatives * width);
  Aligned dx(negatives * width);
  for (std::size_t j = 0; j < negatives; ++j) {
    numbers.take(negative(chunk * negatives + j), x.data() + j * width);
  }
  const auto differentiate = [&](GradientKind kind, const Aligned& vectors,
                                 const Aligned& coefficients, Aligned& by_vectors) {
    Aligned v(rows * width);
    Aligned dv(rows * width);
    for (std::size_t i = 0; i < queries.count; ++i) {
      numbers.take(vectors.data() + (queries.first + i) * dim_, v.data() + i * width);
    }
    usable_gradient_kernels<T>(kind).front()({v.data(), x.data(), rows, negatives,
                                              coefficients.data() + score_row_[chunk] * stride_,
                                              stride_, dv.data(), dx.data()});
    for (std::size_t i = 0; i < queries.count; ++i) {
      numbers.put(dv.data() + i * width, by_vectors.data() + (queries.first + i) * dim_);
    }
  };
  differentiate(gradient_kind(kind_), queries_, scores_, by_query_);
  if (has_planes_) differentiate(GradientKind::Product, normals_, along_, by_normal_);
  for (std::size_t j = 0; j < negatives; ++j) {
    numbers.put(dx.data() + j * width, by_negative_.data() + (chunk * negatives + j) * dim_);
  }
}

template <class T>
void ScorePass<T>::differentiate_answer(std::size_t query) {
  T* const by_answer = by_answer_.data() + query * dim_;
  if (matrices_) return matrices_->differentiate_positive(query, positive_[query], by_answer);
  const T* const e = answer_of(query);
  std::fill_n(by_answer, dim_, T{0});
  row_kernels<T>().add_pair(kind_)(positive_[query], queries_.data() + query * dim_, e, dim_,
                                   by_query_.data() + query * dim_, by_answer);
  if (!has_planes_) return;
  add_scaled(positive_along_[query], normals_.data() + query * dim_, dim_, by_answer);
  add_scaled(positive_along_[query], e, dim_, by_normal_.data() + query * dim_);
}

template <class T>
std::uint64_t ScorePass<T>::bytes() const {
  std::uint64_t numbers = positive_.size();
  for (const Aligned* values : {&queries_, &bias_, &panels_, &scores_, &normals_, &along_,
                                &by_query_, &by_normal_, &by_bias_, &by_answer_, &by_negative_}) {
    numbers += values->size();
  }
  return numbers * sizeof(T) + rows_.bytes() + (matrices_ ? matrices_->bytes() : 0) +
         (formula_ ? formula_->bytes() : 0);
}

template class ScorePass<float>;
template class ScorePass<double>;

}  // namespace vecc::kg
