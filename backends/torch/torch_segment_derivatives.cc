// Gradients by the members of segments, for `vjp`.
#include <utility>

#include "backends/torch/autograd.h"
#include "backends/torch/row_sums.h"
#include "backends/torch/segment_buckets.h"
#include "backends/torch/torch_functions.h"
#include "backends/torch/torch_segment_parts.h"
#include "backends/torch/torch_segments.h"

namespace vecc::libtorch {
namespace {

using Direction = const at::Tensor&;

// What a selection passes on, recorded in the step.
SegmentDerivative select_derivative(Step select) {
  return [select = std::move(select)](Direction x, Direction, Direction g) {
    return gradient_by_input(std::span(&x, 1), 0, select, g);
  };
}

// `rows` rows that do not pass on the rows of g that are zero: 0 times infinity is no number.
at::Tensor where_passed_on(const at::Tensor& g, const at::Tensor& rows) {
  return at::where((g != 0).any(-1, /*keepdim=*/true), rows, at::scalar_tensor(0, rows.options()));
}

SegmentDerivative ragged_derivative(const SegmentOp& segment, std::int64_t size,
                                    const LoweringContext& context) {
  const auto offsets = segment.segments.offsets();
  const at::Tensor owner = context.arrays.index(segment_owners(offsets));
  switch (segment.combination) {
    case Combination::Sum:
      return [owner](Direction, Direction, Direction g) { return g.index_select(0, owner); };
    case Combination::Avg: {
      const auto count = static_cast<std::int64_t>(offsets.size()) - 1;
      const at::Tensor length = context.arrays.values(segment_lengths(offsets), count, 1);
      return [=](Direction, Direction, Direction g) { return (g / length).index_select(0, owner); };
    }
    case Combination::ElProduct:
      return [=, rectangles = Rectangles(offsets, context.arrays)](Direction x, Direction,
                                                                   Direction g) {
        const at::Tensor own = g.index_select(0, owner);
        return where_passed_on(own, rectangles.map(x, 1, products_of_others) * own);
      };
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
      return select_derivative(
          lower_ragged_select(segment.segments, 0, segment.combination, context.arrays));
    case Combination::Softmax:
      return [=, sums = member_sums(segment.segments, size, context)](Direction, Direction y,
                                                                      Direction g) {
        return y * (g - sums(y * g).index_select(0, owner));
      };
    case Combination::Sparsemax:
      return [=, sums = member_sums(segment.segments, size, context)](Direction, Direction y,
                                                                      Direction g) {
        return differentiate_sparsemax(
            y, g, [&](const at::Tensor& rows) { return sums(rows).index_select(0, owner); });
      };
    case Combination::Count:
    case Combination::Concat:
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of ragged segments", __FILE__, __LINE__,
             std::string(info(segment.combination).text));
}

SegmentDerivative fixed_derivative(const SegmentOp& segment, const FixedSegments& fixed,
                                   DeviceArrays& arrays) {
  const double share = 1.0 / static_cast<double>(fixed.members);
  switch (segment.combination) {
    case Combination::Sum:
      return [=](Direction, Direction, Direction g) { return fixed.spread(g.unsqueeze(1)); };
    case Combination::Avg:
      return
          [=](Direction, Direction, Direction g) { return fixed.spread(g.unsqueeze(1) * share); };
    case Combination::ElProduct:
      return [=](Direction x, Direction, Direction g) {
        const at::Tensor own = g.unsqueeze(1);
        return fixed.spread(where_passed_on(own, products_of_others(fixed.view(x)) * own));
      };
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
      return select_derivative(lower_fixed_select(fixed, 0, segment.combination, arrays));
    case Combination::Concat:
      return [=](Direction, Direction, Direction g) {
        return g.reshape({fixed.count * fixed.members, g.size(1) / fixed.members});
      };
    case Combination::Softmax:
      return [=](Direction, Direction rows, Direction g) {
        const at::Tensor y = fixed.view(rows);
        const at::Tensor own = fixed.view(g);
        return fixed.spread(y * (own - (y * own).sum(1, /*keepdim=*/true)));
      };
    case Combination::Sparsemax:
      return [=](Direction, Direction rows, Direction g) {
        return fixed.spread(differentiate_sparsemax(
            fixed.view(rows), fixed.view(g),
            [](const at::Tensor& part) { return part.sum(1, /*keepdim=*/true); }));
      };
    case Combination::Count:
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of fixed segments", __FILE__, __LINE__,
             std::string(info(segment.combination).text));
}

}  // namespace

SegmentDerivative lower_segment_derivative(const SegmentOp& segment, std::uint32_t rows,
                                           std::int64_t size, const LoweringContext& context) {
  if (rows == 0 || segment.combination == Combination::Count) {
    return [=](Direction, Direction, Direction g) { return at::zeros({rows, size}, g.options()); };
  }
  if (!segment.segments.is_fixed()) return ragged_derivative(segment, size, context);
  const FixedSegments fixed{segment.segments.count(rows), segment.segments.members(),
                            segment.segments.dimension() == 2};
  return fixed_derivative(segment, fixed, context.arrays);
}

}  // namespace vecc::libtorch
