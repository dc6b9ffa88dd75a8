// What lowering of segments and of their derivatives share.
#pragma once

#include <utility>
#include <vector>

#include "backends/torch/torch_ops.h"

namespace vecc::libtorch {

/// By ragged segment: its number of members.
[[nodiscard]] std::vector<double> segment_lengths(std::span<const std::uint32_t> offsets);

/// Largest, smallest and product of each ragged segment; unrecorded.
class RaggedReduction {
 public:
  RaggedReduction(std::span<const std::uint32_t> offsets, DeviceArrays& arrays)
      : count_(static_cast<std::int64_t>(offsets.size()) - 1),
        rows_(offsets.back()),
        offsets_(arrays.long_index(offsets)) {}

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// `kind`: prod, max, min; `empty`: its neutral value.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x, c10::string_view kind,
                                      double empty) const;

 private:
  std::int64_t count_;
  std::int64_t rows_;
  at::Tensor offsets_;
};

/// Sums over ragged segments of rows of `size`.
[[nodiscard]] RowSums member_sums(const Segments& segments, std::int64_t size,
                                  const LoweringContext& context);

/// A member's gradient in a product is that of the others: of those before it and those after it,
/// so that zeros need no division. x: [segments, members, size].
[[nodiscard]] at::Tensor products_of_others(const at::Tensor& x);

/// Ragged segments as rectangles on the device (segment_buckets.h).
class Rectangles {
 public:
  Rectangles(std::span<const std::uint32_t> offsets, DeviceArrays& arrays);

  /// `function` of each rectangle [segments, members, size], whose missing members are `fill`; its
  /// result has the same size. Back to x's rows.
  template <class Function>
  [[nodiscard]] at::Tensor map(const at::Tensor& x, double fill, Function&& function) const {
    if (buckets_.empty()) return x;
    const std::int64_t size = x.size(1);
    const at::Tensor padded = at::cat({x, at::full({1, size}, fill, x.options())}, 0);
    std::vector<at::Tensor> parts;
    for (const Bucket& bucket : buckets_) {
      const at::Tensor members =
          padded.index_select(0, bucket.rows).view({bucket.count, bucket.width, size});
      parts.push_back(function(members).reshape({bucket.count * bucket.width, size}));
    }
    return at::cat(parts, 0).index_select(0, place_);
  }

 private:
  struct Bucket {
    at::Tensor rows;
    std::int64_t count;
    std::int64_t width;
  };
  std::vector<Bucket> buckets_;
  at::Tensor place_;
};

/// Max, min: the whole member of each segment with the largest (smallest) sum of entries; elmax,
/// elmin: of each entry the largest (smallest). The step of a segment over the value `from`.
[[nodiscard]] Step lower_ragged_select(const Segments& segments, ValueId from,
                                       Combination combination, DeviceArrays& arrays);

/// Fixed segments as a tensor [segments, members, size], whichever dimension they run over.
struct FixedSegments {
  std::int64_t count;
  std::int64_t members;
  bool adjacent;  // dimension 2

  [[nodiscard]] at::Tensor view(const at::Tensor& x) const {
    if (adjacent) return x.reshape({count, members, x.size(1)});
    return x.reshape({members, count, x.size(1)}).transpose(0, 1);
  }
  /// Rows again, from a tensor [segments, members or 1, size].
  [[nodiscard]] at::Tensor spread(const at::Tensor& x) const {
    const at::Tensor all = x.expand({count, members, x.size(2)});
    return (adjacent ? all : all.transpose(0, 1)).reshape({count * members, x.size(2)});
  }
  /// Rows again, from [segments, members] scalars.
  [[nodiscard]] at::Tensor rows(const at::Tensor& x) const {
    return (adjacent ? x : x.t()).reshape({count * members, 1});
  }
};

[[nodiscard]] Step lower_fixed_select(const FixedSegments& fixed, ValueId from,
                                      Combination combination, DeviceArrays& arrays);

}  // namespace vecc::libtorch
