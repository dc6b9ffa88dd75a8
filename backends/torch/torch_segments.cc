#include "backends/torch/torch_segments.h"

#include <utility>

#include "backends/torch/autograd.h"
#include "backends/torch/row_sums.h"
#include "backends/torch/torch_functions.h"
#include "backends/torch/torch_segment_parts.h"

namespace vecc::libtorch {
namespace {

using Values = std::span<const at::Tensor>;

Step lower_sum(const SegmentOp& segment, const LoweringContext& context, ValueId id) {
  const FusedSums& fused = context.fused.sums();
  const ValueId from = context.fused.operands(id)[0];
  const RowSumPlan plan = fused.is_fused(id) ? context.fused.as_stored(fused.plan(id), from)
                                             : plan_ragged_sum(segment.segments);
  const RowSums sums(plan, context.row_sum_options(from, !plan.rows.empty()), context.arrays);
  if (segment.combination == Combination::Sum) {
    return [from, sums](Values values) { return sums(values[from]); };
  }
  std::vector<double> shares = segment_lengths(plan.offsets);
  for (double& n : shares) n = n == 0 ? 0 : 1 / n;
  const auto count = static_cast<std::int64_t>(shares.size());
  return [from, sums, share = context.arrays.values(shares, count, 1)](Values values) {
    return sums(values[from]) * share;
  };
}

Step lower_ragged_product(const Segments& segments, ValueId from, const LoweringContext& context) {
  const RaggedReduction reduce(segments.offsets(), context.arrays);
  if (!context.needs_gradient(from)) {
    return [=](Values values) { return reduce(values[from], "prod", 1); };
  }
  const at::Tensor owner = context.arrays.index(segment_owners(segments.offsets()));
  return [=, rectangles = Rectangles(segments.offsets(), context.arrays)](Values values) {
    const at::Tensor& x = values[from];
    if (!is_recorded(x)) return reduce(x, "prod", 1);
    const c10::NoGradGuard unrecorded;
    return record(x, reduce(x, "prod", 1), [=](const at::Tensor& g) {
      return rectangles.map(x, 1, products_of_others) * g.index_select(0, owner);
    });
  };
}

Step lower_ragged_softmax(const Segments& segments, ValueId from, const LoweringContext& context) {
  const RaggedReduction reduce(segments.offsets(), context.arrays);
  const at::Tensor owner = context.arrays.index(segment_owners(segments.offsets()));
  const auto size = static_cast<std::int64_t>(context.program.op(from).shape.size());
  return [=, sums = member_sums(segments, size, context)](Values values) {
    const at::Tensor& x = values[from];
    const bool recorded = is_recorded(x);
    const c10::NoGradGuard unrecorded;
    const at::Tensor largest = reduce(x, "max", -kInfinity);
    const at::Tensor y = (x - largest.index_select(0, owner)).exp_();
    y.div_(sums(y).index_select(0, owner));
    if (!recorded) return y;
    return record(
        x, y, [=](const at::Tensor& g) { return y * (g - sums(y * g).index_select(0, owner)); });
  };
}

Step lower_ragged_sparsemax(const Segments& segments, ValueId from,
                            const LoweringContext& context) {
  const at::Tensor owner = context.arrays.index(segment_owners(segments.offsets()));
  const Rectangles rectangles(segments.offsets(), context.arrays);
  return [=, sums = member_sums(segments, 1, context)](Values values) {
    const at::Tensor& x = values[from];
    const bool recorded = is_recorded(x);
    const c10::NoGradGuard unrecorded;
    const at::Tensor y = rectangles.map(x, -kInfinity, [](const at::Tensor& members) {
      return sparsemax_rows(members.squeeze(2));
    });
    if (!recorded) return y;
    return record(x, y, [=](const at::Tensor& g) {
      return differentiate_sparsemax(
          y, g, [&](const at::Tensor& rows) { return sums(rows).index_select(0, owner); });
    });
  };
}

Step lower_ragged(const SegmentOp& segment, const LoweringContext& context, ValueId id) {
  const auto offsets = segment.segments.offsets();
  const ValueId from = context.program.op(id).operands[0];
  switch (segment.combination) {
    case Combination::Sum:
    case Combination::Avg: return lower_sum(segment, context, id);
    case Combination::ElProduct: return lower_ragged_product(segment.segments, from, context);
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
      return lower_ragged_select(segment.segments, from, segment.combination, context.arrays);
    case Combination::Count: {
      const std::vector<double> counts = segment_lengths(offsets);
      return constant_step(
          context.arrays.values(counts, static_cast<std::int64_t>(counts.size()), 1));
    }
    case Combination::Softmax: return lower_ragged_softmax(segment.segments, from, context);
    case Combination::Sparsemax: return lower_ragged_sparsemax(segment.segments, from, context);
    case Combination::Concat:
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of ragged segments", __FILE__, __LINE__,
             std::string(info(segment.combination).text));
}

Step lower_fixed_product(const FixedSegments& fixed, ValueId from) {
  return [=](Values values) {
    const at::Tensor x = fixed.view(values[from]);
    if (!is_recorded(x)) return x.prod(1);
    const c10::NoGradGuard unrecorded;
    return record(x, x.prod(1),
                  [x](const at::Tensor& g) { return products_of_others(x) * g.unsqueeze(1); });
  };
}

Step lower_fixed(const SegmentOp& segment, const LoweringContext& context, ValueId id) {
  const ValueId from = context.program.op(id).operands[0];
  const FixedSegments fixed{segment.segments.count(context.program.op(from).rows),
                            segment.segments.members(), segment.segments.dimension() == 2};
  const auto members = static_cast<double>(fixed.members);
  switch (segment.combination) {
    case Combination::Sum: return [=](Values values) { return fixed.view(values[from]).sum(1); };
    case Combination::Avg:
      return [=](Values values) { return fixed.view(values[from]).sum(1) * (1 / members); };
    case Combination::ElProduct: return lower_fixed_product(fixed, from);
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
      return lower_fixed_select(fixed, from, segment.combination, context.arrays);
    case Combination::Count:
      return constant_step(
          context.arrays.values(std::span(&members, 1), 1, 1).expand({fixed.count, 1}));
    case Combination::Concat:
      return [=](Values values) {
        const at::Tensor& x = values[from];
        return x.reshape({fixed.count, fixed.members * x.size(1)});
      };
    case Combination::Softmax:
      return [=](Values values) { return fixed.spread(fixed.view(values[from]).softmax(1)); };
    case Combination::Sparsemax:
      return [=](Values values) {
        return fixed.rows(sparsemax_rows(fixed.view(values[from]).squeeze(2)));
      };
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of fixed segments", __FILE__, __LINE__,
             std::string(info(segment.combination).text));
}

}  // namespace

Step lower_segment(const SegmentOp& segment, const LoweringContext& context, ValueId id) {
  if (context.fused.sums().is_fused(id)) return lower_sum(segment, context, id);
  return segment.segments.is_fixed() ? lower_fixed(segment, context, id)
                                     : lower_ragged(segment, context, id);
}

}  // namespace vecc::libtorch
