#include "backends/torch/torch_segments.h"

#include <limits>
#include <numeric>
#include <utility>

#include "backends/torch/autograd.h"
#include "backends/torch/row_sums.h"
#include "backends/torch/segment_buckets.h"
#include "backends/torch/torch_functions.h"

namespace vecc {
namespace {

using Values = std::span<const at::Tensor>;

std::vector<double> lengths(std::span<const std::uint32_t> offsets) {
  std::vector<double> result;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    result.push_back(offsets[s + 1] - offsets[s]);
  }
  return result;
}

// Largest, smallest and product of each ragged segment; unrecorded.
class RaggedReduction {
 public:
  RaggedReduction(std::span<const std::uint32_t> offsets, DeviceArrays& arrays)
      : count_(static_cast<std::int64_t>(offsets.size()) - 1),
        rows_(offsets.back()),
        offsets_(arrays.long_index(offsets)) {}

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// `kind`: prod, max, min; `empty`: its neutral value.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x, c10::string_view kind,
                                      double empty) const {
    if (rows_ == 0) return at::full({count_, x.size(1)}, empty, x.options());
    const auto run = [&](const at::Tensor& data) {
      return at::segment_reduce(data, kind, std::nullopt, std::nullopt, offsets_, 0,
                                /*unsafe=*/true, empty);
    };
    // In two dimensions CUDA takes a thread a segment and column; in one, a block a segment, which
    // pays for long segments.
    constexpr std::int64_t kLong = 256;
    const bool by_block = x.size(1) == 1 && rows_ / count_ >= kLong;
    return by_block ? run(x.squeeze(1)).unsqueeze(1) : run(x);
  }

 private:
  std::int64_t count_;
  std::int64_t rows_;
  at::Tensor offsets_;
};

// Sums over ragged segments of scalars.
RowSums scalar_sums(const Segments& segments, const LoweringContext& context) {
  return {plan_ragged_sum(segments), {1, context.reduce, false, nullptr}, context.arrays};
}

Step lower_sum(const SegmentOp& segment, const LoweringContext& context, ValueId id) {
  const FusedSums& fused = context.fused.sums();
  const ValueId from = context.fused.operands(id)[0];
  const RowSumPlan plan = fused.is_fused(id) ? context.fused.as_stored(fused.plan(id), from)
                                             : plan_ragged_sum(segment.segments);
  const RowSums sums(plan, context.row_sum_options(from, !plan.rows.empty()), context.arrays);
  if (segment.combination == Combination::Sum) {
    return [from, sums](Values values) { return sums(values[from]); };
  }
  std::vector<double> shares = lengths(plan.offsets);
  for (double& n : shares) n = n == 0 ? 0 : 1 / n;
  const auto count = static_cast<std::int64_t>(shares.size());
  return [from, sums, share = context.arrays.values(shares, count, 1)](Values values) {
    return sums(values[from]) * share;
  };
}

// A member's gradient is the product of the others: of those before it and those after it, so that
// zeros need no division. x: [segments, members, size].
at::Tensor products_of_others(const at::Tensor& x) {
  const std::int64_t members = x.size(1);
  const at::Tensor one = at::ones({x.size(0), 1, x.size(2)}, x.options());
  const auto before = [&](const at::Tensor& factors) {
    at::Tensor shifted = at::cat({one, factors.narrow(1, 0, members - 1)}, 1);
    // Over a single row, CUDA would scan in an order that changes from run to run.
    if (x.size(0) * x.size(2) == 1) shifted = shifted.expand({2, members, 1});
    return shifted.cumprod(1).narrow(0, 0, x.size(0));
  };
  return before(x) * before(x.flip(1)).flip(1);
}

// Ragged segments as rectangles on the device (segment_buckets.h).
class Rectangles {
 public:
  Rectangles(std::span<const std::uint32_t> offsets, DeviceArrays& arrays) {
    const SegmentBuckets layout = bucket_segments(offsets);
    for (const SegmentBucket& bucket : layout.buckets) {
      buckets_.push_back(
          {arrays.index(bucket.rows), bucket.count, static_cast<std::int64_t>(bucket.width)});
    }
    place_ = arrays.long_index(layout.place);
  }

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

// Sums by which max and min choose: larger is better; NaN loses, but a NaN that stands first wins,
// since nothing compares larger than it.
at::Tensor selection_keys(const at::Tensor& sums, bool largest, const at::Tensor& nan_key) {
  return at::where(sums.isnan(), nan_key, largest ? sums : -sums);
}

Step lower_ragged_select(const Segments& segments, ValueId from, bool largest,
                         DeviceArrays& arrays) {
  const auto offsets = segments.offsets();
  const RaggedReduction reduce(offsets, arrays);
  std::vector<double> keys(offsets.back(), -kInfinity);
  std::vector<double> numbers(offsets.back());
  std::iota(numbers.begin(), numbers.end(), 0.0);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) keys[offsets[s]] = kInfinity;
  const auto rows = reduce.rows();
  const at::Tensor nan_key = arrays.values(keys, rows, 1);
  // Row numbers as doubles, which segment_reduce takes, and which hold 32 bits exactly.
  DeviceArrays doubles(arrays.options().device(), at::kDouble);
  const at::Tensor number = arrays.count(doubles.values(numbers, rows, 1));
  const at::Tensor owner = arrays.index(segment_owners(offsets));
  return [=](Values values) {
    const at::Tensor& x = values[from];
    if (rows == 0) return x;
    const bool recorded = is_recorded(x);
    const c10::NoGradGuard unrecorded;
    const at::Tensor key = selection_keys(sum_entries(x), largest, nan_key);
    const at::Tensor best = reduce(key, "max", -kInfinity).index_select(0, owner);
    const at::Tensor place =
        at::where(key == best, number, at::scalar_tensor(kInfinity, number.options()));
    const at::Tensor winner = reduce(place, "min", kInfinity).squeeze(1).to(at::kLong);
    const at::Tensor selected = x.index_select(0, winner);
    if (!recorded) return selected;
    return record(x, selected, [winner, rows](const at::Tensor& g) {
      return at::zeros({rows, g.size(1)}, g.options()).index_copy_(0, winner, g);
    });
  };
}

Step lower_ragged_softmax(const Segments& segments, ValueId from, const LoweringContext& context) {
  const RaggedReduction reduce(segments.offsets(), context.arrays);
  const at::Tensor owner = context.arrays.index(segment_owners(segments.offsets()));
  return [=, sums = scalar_sums(segments, context)](Values values) {
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
  return [=, sums = scalar_sums(segments, context)](Values values) {
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
    case Combination::Max: return lower_ragged_select(segment.segments, from, true, context.arrays);
    case Combination::Min:
      return lower_ragged_select(segment.segments, from, false, context.arrays);
    case Combination::Count: {
      const std::vector<double> counts = lengths(offsets);
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

// Fixed segments as a tensor [segments, members, size], whichever dimension they run over.
struct FixedSegments {
  std::int64_t count;
  std::int64_t members;
  bool adjacent;  // dimension 2

  [[nodiscard]] at::Tensor view(const at::Tensor& x) const {
    if (adjacent) return x.reshape({count, members, x.size(1)});
    return x.reshape({members, count, x.size(1)}).transpose(0, 1);
  }
  /// Rows again, from [segments, members] scalars.
  [[nodiscard]] at::Tensor rows(const at::Tensor& x) const {
    return (adjacent ? x : x.t()).reshape({count * members, 1});
  }
};

Step lower_fixed_select(const FixedSegments& fixed, ValueId from, bool largest,
                        DeviceArrays& arrays) {
  std::vector<double> keys(static_cast<std::size_t>(fixed.members), -kInfinity);
  keys[0] = kInfinity;
  const at::Tensor nan_key = arrays.values(keys, 1, fixed.members);
  return [=](Values values) {
    const at::Tensor x = fixed.view(values[from]);
    const bool recorded = is_recorded(x);
    const c10::NoGradGuard unrecorded;
    const at::Tensor sums = fixed.view(sum_entries(values[from])).squeeze(2);
    const at::Tensor key = selection_keys(sums, largest, nan_key);
    const at::Tensor member = at::arange(fixed.members, key.options().dtype(at::kLong));
    const at::Tensor none = at::full({}, fixed.members, member.options());
    const at::Tensor first =
        at::where(key == key.amax(1, /*keepdim=*/true), member, none).amin(1, /*keepdim=*/true);
    const at::Tensor winner = first.unsqueeze(2).expand({-1, -1, x.size(2)});
    const at::Tensor selected = x.gather(1, winner).squeeze(1);
    if (!recorded) return selected;
    return record(x, selected, [winner, members = fixed.members](const at::Tensor& g) {
      return at::zeros({g.size(0), members, g.size(1)}, g.options())
          .scatter_(1, winner, g.unsqueeze(1));
    });
  };
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
    case Combination::Max: return lower_fixed_select(fixed, from, true, context.arrays);
    case Combination::Min: return lower_fixed_select(fixed, from, false, context.arrays);
    case Combination::Count:
      return constant_step(
          context.arrays.values(std::span(&members, 1), 1, 1).expand({fixed.count, 1}));
    case Combination::Concat:
      return [=](Values values) {
        const at::Tensor& x = values[from];
        return x.reshape({fixed.count, fixed.members * x.size(1)});
      };
    case Combination::Softmax:
      return
          [=](Values values) { return fixed.rows(fixed.view(values[from]).squeeze(2).softmax(1)); };
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

}  // namespace vecc
