// Sums over the numbers of vectors, in one order that vector registers keep.
#pragma once

#include <cstddef>

namespace vecc::kg {

template <class T>
[[nodiscard]] T dot(const T* a, const T* b, std::size_t size) {
  constexpr std::size_t kSums = 16;
  T sums[kSums] = {};
  std::size_t k = 0;
  for (; k + kSums <= size; k += kSums) {
    for (std::size_t i = 0; i < kSums; ++i) sums[i] += a[k + i] * b[k + i];
  }
  T sum = 0;
  for (; k < size; ++k) sum += a[k] * b[k];
  for (const T each : sums) sum += each;
  return sum;
}

/// Adds factor * x to sum.
template <class T>
void add_scaled(T factor, const T* x, std::size_t size, T* sum) {
  for (std::size_t k = 0; k < size; ++k) sum[k] += factor * x[k];
}

/// Adds m x, or m^T x; m: [dim, dim], row-major.
template <class T>
void add_matrix_product(const T* m, bool transposed, const T* x, std::size_t dim, T* sum) {
  for (std::size_t i = 0; i < dim; ++i) {
    const T* const row = m + i * dim;
    if (transposed) {
      add_scaled(x[i], row, dim, sum);
    } else {
      sum[i] += dot(row, x, dim);
    }
  }
}

/// Adds x y^T to m: [dim, dim], row-major.
template <class T>
void add_outer_product(const T* x, const T* y, std::size_t dim, T* m) {
  for (std::size_t i = 0; i < dim; ++i) add_scaled(x[i], y, dim, m + i * dim);
}

}  // namespace vecc::kg
