// Rows times the matrix of their type, batch by batch of types (row_groups.h): no matrix is copied
// for a row, and no outer product is made for one in the gradient.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "backends/torch/row_groups.h"

namespace vecc::libtorch {

/// y = x w: x [m, k] at each position, w [k, n] for each type.
struct GroupedShapes {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
  bool matrices_turned = false;  ///< w is stored as [n, k]
};

class GroupedProduct {
 public:
  GroupedProduct(std::vector<RowBatch> batches, const GroupedShapes& shapes);

  /// `inputs`: [positions, m * k], zero where no row is; `matrices`: [types, k * n], both in the
  /// order of the batches; [positions, m * n]. What stands at a position without a row is
  /// never read, and its gradient must be zero: the matrices' gradients add 0 * 0 there,
  /// whatever is in rows.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& inputs, const at::Tensor& matrices) const;
  /// The matrices' gradients alone: what g [positions, m * n] and `inputs`, both zero where no row
  /// is, make [types, k * n] of.
  [[nodiscard]] at::Tensor matrix_gradients(const at::Tensor& inputs, const at::Tensor& g) const;

 private:
  struct Batch {
    std::int64_t groups = 0;
    std::int64_t width = 0;
    std::int64_t first_group = 0;
    std::int64_t first_position = 0;
  };
  // A batch's part of rows at positions, as [groups, width * m, columns], and of matrices.
  [[nodiscard]] at::Tensor rows_of(const Batch& batch, const at::Tensor& rows,
                                   std::int64_t columns) const;
  [[nodiscard]] at::Tensor matrices_of(const Batch& batch, const at::Tensor& w) const;

  // x w; g w^T; and x^T g, summed by type.
  [[nodiscard]] at::Tensor multiply(const at::Tensor& x, const at::Tensor& w) const;
  [[nodiscard]] at::Tensor multiply_turned(const at::Tensor& g, const at::Tensor& w) const;
  [[nodiscard]] at::Tensor add_products(const at::Tensor& x, const at::Tensor& g) const;

  std::vector<Batch> batches_;
  GroupedShapes shapes_;
  std::int64_t positions_ = 0;
  std::int64_t types_ = 0;
};

}  // namespace vecc::libtorch
