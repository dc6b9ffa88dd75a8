// The kernel prelude's functions, compiled as kernels are, for tests that are not. T is float or
// double everywhere.
#pragma once

#include <span>

#include "vecc/function.h"

namespace vecc::test {

/// What a generated kernel does for a function: an f_NAME an entry, a function of the row, or no
/// arithmetic (another index).
enum class PreludeForm { Entry, Row, Index };

/// y[i] = f_NAME(x[i]), in a loop that can be vectorized; y stays as it is where t is not of
/// entries.
template <class T>
PreludeForm map_entries(Transformation t, T slope, std::span<const T> x, std::span<T> y);
/// out[i] = pull(g[i], d_NAME(x[i], y[i])), likewise.
template <class T>
void pull_entries(Transformation t, T slope, std::span<const T> x, std::span<const T> y,
                  std::span<const T> g, std::span<T> out);

/// Functions of rows of `size` entries.
template <class T>
struct RowMaps {
  int size;
  void (*softmax)(const T* x, T* y);
  void (*logsoftmax)(const T* x, T* y);
  void (*sparsemax)(const T* x, T* y);
  void (*norm)(const T* x, T* y);
  void (*softmax_vjp)(const T* y, const T* g, T* out);
  void (*logsoftmax_vjp)(const T* y, const T* g, T* out);
  void (*sparsemax_vjp)(const T* y, const T* g, T* out);
  void (*norm_vjp)(const T* x, const T* y, const T* g, T* out);
  T (*cossim)(const T* x, const T* y);
  void (*cossim_vjp)(const T* x, const T* y, T cosine, T g, T* out);
  T (*row_sum)(const T* x);
  bool (*all_zero)(const T* x);
};
template <class T>
std::span<const RowMaps<T>> row_maps();
template <>
std::span<const RowMaps<float>> row_maps();
template <>
std::span<const RowMaps<double>> row_maps();

/// Functions of an m x k and a k x n matrix (`transposed`: stored as the transposes); those after
/// `times` of rows of m and of n entries, transp of an m x n matrix. times_matrix: y, rows of n
/// entries, are `count` rows x of k entries times a k x n matrix; times_matrix_rows: that is stored
/// as its transpose.
template <class T>
struct ProductMaps {
  int m, k, n;
  bool left_transposed, right_transposed;
  void (*times)(const T* l, const T* r, T* y);
  void (*add_outer_sum)(bool turned, const T* g, const T* x, int count, T* y);
  bool turns_outer_sum;  // of many members
  void (*finish_outer_sum)(bool turned, T* y);
  void (*crosssum)(const T* l, const T* r, T* y);
  void (*crosssum_vjp_left)(const T* g, T* out);
  void (*crosssum_vjp_right)(const T* g, T* out);
  void (*transp)(const T* x, T* y);
  void (*times_matrix)(const T* matrix, unsigned count, const T* x, T* y);
  void (*times_matrix_rows)(const T* matrix, unsigned count, const T* x, T* y);
};
template <class T>
std::span<const ProductMaps<T>> product_maps();
template <>
std::span<const ProductMaps<float>> product_maps();
template <>
std::span<const ProductMaps<double>> product_maps();

}  // namespace vecc::test
