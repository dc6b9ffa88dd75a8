// y = S x, for a sparse matrix S that is known when a Program is compiled: a gather (one member a
// segment), the sums of segments, both at once (fused_sums.h), and the gradient of each, which is
// the product with S transposed. Members are added in one order: results repeat bit by bit.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/torch/autograd.h"
#include "backends/torch/device_arrays.h"
#include "backends/torch/fused_sums.h"
#include "vecc/backend.h"

namespace vecc::libtorch {

/// The product alone, unrecorded.
class SparseProduct {
 public:
  SparseProduct(const RowSumPlan& plan, std::int64_t columns, TorchReduce reduce,
                DeviceArrays& arrays);
  /// x: [source_rows, columns].
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;

 private:
  [[nodiscard]] RowSumPlan split_long_segments(const RowSumPlan& plan, std::uint32_t most,
                                               DeviceArrays& arrays);
  void prepare_gather(const RowSumPlan& plan, DeviceArrays& arrays);
  void prepare_segments(const RowSumPlan& plan, DeviceArrays& arrays);
  void prepare_scatter(const RowSumPlan& plan, DeviceArrays& arrays);
  void prepare_product(const RowSumPlan& plan, DeviceArrays& arrays);
  [[nodiscard]] at::Tensor member_values(const at::Tensor& x) const;
  [[nodiscard]] at::Tensor reduce_segments(const at::Tensor& members) const;
  [[nodiscard]] at::Tensor scatter(const at::Tensor& members) const;
  [[nodiscard]] at::Tensor multiply(const at::Tensor& x) const;

  std::int64_t segments_ = 0;
  std::int64_t members_ = 0;
  std::int64_t columns_ = 0;
  TorchReduce reduce_ = TorchReduce::Segment;
  bool gathers_ = false;  // no segment has more than one member
  at::Tensor empty_;      // then: segments without a member
  at::Tensor rows_;       // undefined: all rows in order
  at::Tensor factors_;    // undefined: all 1
  at::Tensor offsets_;
  at::Tensor owners_;  // Scatter: the segment of each member
  at::Tensor matrix_;  // SpMM with a CSR matrix
  /// Of the parts that long segments were split into.
  std::shared_ptr<const SparseProduct> sum_parts_;
};

/// What a RowSums needs besides its plan.
struct RowSumOptions {
  std::int64_t columns = 0;  ///< elements of a row
  TorchReduce reduce = TorchReduce::Auto;
  bool gradient = false;  ///< of x: may be asked for
  /// Where x's gradient goes if others read x in parts as well; else null.
  std::shared_ptr<GradientRows> gradient_rows;
};

/// The product and its derivative.
class RowSums {
 public:
  RowSums(const RowSumPlan& plan, const RowSumOptions& options, DeviceArrays& arrays);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;

 private:
  /// Rows of x that are read: from `begin` on, or, if `rows` is not empty, those.
  struct ReadRows {
    std::uint32_t begin = 0;
    std::vector<std::uint32_t> rows;
  };
  static RowSumPlan transpose(const RowSumPlan& plan);
  static ReadRows restrict_to_read_rows(RowSumPlan& by_row);

  SparseProduct product_;
  std::shared_ptr<const SparseProduct> transposed_;  // null: no gradient
  std::shared_ptr<GradientRows> gradient_rows_;
  // What the transposed product's rows are, where they go to `gradient_rows_`.
  std::int64_t first_read_row_ = 0;
  at::Tensor read_rows_;
};

/// The segment of each member.
[[nodiscard]] std::vector<std::uint32_t> segment_owners(std::span<const std::uint32_t> offsets);

}  // namespace vecc::libtorch
