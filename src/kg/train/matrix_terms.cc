#include "src/kg/train/matrix_terms.h"

#include <algorithm>
#include <numeric>

#include "src/kg/projected_query.h"
#include "src/kg/train/parallel_tasks.h"
#include "src/kg/vector_sums.h"

namespace vecc::kg {
namespace {

// Panels that a task multiplies with a matrix that it has packed.
constexpr std::size_t kMeasuredPanels = 16;
constexpr std::size_t kDerivedPanels = 8;

std::size_t block_count(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit;
}

// Each lane of each row times the lane's factor.
template <class T>
void scale_lanes(const T* factors, std::size_t rows, T* panel) {
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t lane = 0; lane < kPanelLanes<T>; ++lane) {
      panel[k * kPanelLanes<T> + lane] *= factors[lane];
    }
  }
}

}  // namespace

template <class T>
void MatrixTerms<T>::begin(const TrainingBatch& batch, const StepRows<T>& rows, const T* panels,
                           std::size_t stride) {
  batch_ = &batch;
  rows_ = &rows;
  panels_ = panels;
  stride_ = stride;
  find_groups();
  norms_.resize(groups_.size() * stride);
  const std::size_t all = stride / kPanelLanes<T>;
  const std::size_t blocks = block_count(all, kMeasuredPanels);
  run_tasks(team_, groups_.size() * blocks, [&](std::size_t task) {
    const std::size_t first = task % blocks * kMeasuredPanels;
    measure(groups_[task / blocks], first, std::min(all, first + kMeasuredPanels),
            norms_.data() + task / blocks * stride_);
  });
  const std::size_t dim = model_.entities.width;
  differences_.resize(batch.queries.size() * dim);
  run_tasks(team_, batch.queries.size(), [&](std::size_t i) {
    make_matrix_difference(batch.queries[i].asked == Side::Tail, rows.anchor(i), rows.answer(i),
                           model_.relations.row(batch.queries[i].relation), dim,
                           differences_.data() + i * dim);
  });
}

template <class T>
void MatrixTerms<T>::find_groups() {
  const auto relation = [&](std::uint32_t query) { return batch_->queries[query].relation; };
  groups_.clear();
  first_group_.clear();
  members_.resize(batch_->queries.size());
  std::iota(members_.begin(), members_.end(), 0u);
  group_of_.resize(members_.size());
  for (std::uint32_t chunk = 0; chunk < batch_->chunks.size(); ++chunk) {
    first_group_.push_back(groups_.size());
    const std::size_t first = batch_->chunks[chunk].first;
    const std::size_t end = first + batch_->chunks[chunk].count;
    std::stable_sort(members_.begin() + static_cast<std::ptrdiff_t>(first),
                     members_.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](auto a, auto b) { return relation(a) < relation(b); });
    for (std::size_t i = first; i < end; ++i) {
      if (i == first || relation(members_[i]) != groups_.back().relation) {
        groups_.push_back({chunk, relation(members_[i])});
      }
      group_of_[members_[i]] = static_cast<std::uint32_t>(groups_.size() - 1);
    }
  }
  first_group_.push_back(groups_.size());
}

// |M e|^2 of panels.
template <class T>
void MatrixTerms<T>::measure(const Group& group, std::size_t first_panel, std::size_t end,
                             T* norms) const {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const std::size_t dim = model_.entities.width;
  PackedMatrix<T> matrix;
  matrix.pack(matrix_of(group.relation), dim, dim, false);
  AlignedVector<T> product(matrix.rows() * kLanes);
  for (std::size_t i = first_panel; i < end; ++i) {
    matrix.multiply(panel(group.chunk, i), product.data());
    T* const sums = norms + i * kLanes;
    std::fill_n(sums, kLanes, T{0});
    for (std::size_t k = 0; k < dim; ++k) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += product[k * kLanes + lane] * product[k * kLanes + lane];
      }
    }
  }
}

template <class T>
T MatrixTerms<T>::positive(std::size_t query) const {
  const std::size_t dim = model_.entities.width;
  const T* const d = differences_.data() + query * dim;
  return -dot(d, d, dim);
}

template <class T>
void MatrixTerms<T>::subtract_norms(std::size_t query, T* scores) const {
  add_scaled(T{-1}, norms_.data() + group_of_[query] * stride_, batch_->negative_count, scores);
}

template <class T>
void MatrixTerms<T>::add_to_negatives(T* by_negative) const {
  const std::size_t all = stride_ / kPanelLanes<T>;
  const std::size_t blocks = block_count(all, kDerivedPanels);
  run_tasks(team_, batch_->chunks.size() * blocks, [&](std::size_t task) {
    const std::size_t first = task % blocks * kDerivedPanels;
    add_to_panels(task / blocks, first, std::min(all, first + kDerivedPanels), by_negative);
  });
}

// 2 c M^T M e of each, c being the derivative by its norm, over the chunk's groups in order.
template <class T>
void MatrixTerms<T>::add_to_panels(std::size_t chunk, std::size_t first_panel, std::size_t end,
                                   T* by_negative) const {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const std::size_t dim = model_.entities.width;
  PackedMatrix<T> matrix;
  PackedMatrix<T> transposed;
  AlignedVector<T> product;
  AlignedVector<T> back;
  std::vector<T> sums((end - first_panel) * dim * kLanes);
  for (std::size_t g = first_group_[chunk]; g < first_group_[chunk + 1]; ++g) {
    matrix.pack(matrix_of(groups_[g].relation), dim, dim, false);
    transposed.pack(matrix_of(groups_[g].relation), dim, dim, true);
    product.resize(matrix.rows() * kLanes);
    back.resize(matrix.rows() * kLanes);
    for (std::size_t i = first_panel; i < end; ++i) {
      matrix.multiply(panel(chunk, i), product.data());
      scale_lanes(by_norm_.data() + g * stride_ + i * kLanes, dim, product.data());
      transposed.multiply(product.data(), back.data());
      add_scaled(T{2}, back.data(), dim * kLanes, sums.data() + (i - first_panel) * dim * kLanes);
    }
  }
  const std::size_t count = batch_->negative_count;
  for (std::size_t j = first_panel * kLanes; j < std::min(count, end * kLanes); ++j) {
    const T* const from = sums.data() + (j / kLanes - first_panel) * dim * kLanes + j % kLanes;
    T* const to = by_negative + (chunk * count + j) * dim;
    for (std::size_t k = 0; k < dim; ++k) to[k] += from[k * kLanes];
  }
}

template <class T>
void MatrixTerms<T>::differentiate_positive(std::size_t query, T by_score, T* by_answer) {
  const std::size_t dim = model_.entities.width;
  T* const d = differences_.data() + query * dim;
  for (std::size_t k = 0; k < dim; ++k) d[k] *= -2 * by_score;
  std::fill_n(by_answer, dim, T{0});
  add_matrix_product(matrix_of(batch_->queries[query].relation), true, d, dim, by_answer);
  for (std::size_t k = 0; k < dim; ++k) by_answer[k] = -by_answer[k];
}

template <class T>
void MatrixTerms<T>::add_group_to_relation(std::size_t group, T* sum) const {
  constexpr std::size_t kLanes = kPanelLanes<T>;
  const std::size_t dim = model_.entities.width;
  const Group& own = groups_[group];
  PackedMatrix<T> matrix;
  matrix.pack(matrix_of(own.relation), dim, dim, false);
  AlignedVector<T> product(matrix.rows() * kLanes);
  const T* const by_norm = by_norm_.data() + group * stride_;
  for (std::size_t j = 0; j < batch_->negative_count; ++j) {
    const std::size_t lane = j % kLanes;
    if (lane == 0) matrix.multiply(panel(own.chunk, j / kLanes), product.data());
    const T* const e = rows_->negative(own.chunk * batch_->negative_count + j);
    for (std::size_t k = 0; k < dim; ++k) {
      add_scaled(2 * by_norm[j] * product[k * kLanes + lane], e, dim, sum + dim + k * dim);
    }
  }
}

template <class T>
void MatrixTerms<T>::add_positive_to_relation(std::size_t query, T* sum) const {
  const std::size_t dim = model_.entities.width;
  add_difference_to_relation(batch_->queries[query].asked == Side::Tail, rows_->anchor(query),
                             rows_->answer(query), differences_.data() + query * dim, dim, sum);
}

template class MatrixTerms<float>;
template class MatrixTerms<double>;

}  // namespace vecc::kg
