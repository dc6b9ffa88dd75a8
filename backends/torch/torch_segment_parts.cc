#include "backends/torch/torch_segment_parts.h"

#include <limits>
#include <numeric>

#include "backends/torch/autograd.h"
#include "backends/torch/segment_buckets.h"
#include "backends/torch/torch_functions.h"

namespace vecc::libtorch {
namespace {

using Values = std::span<const at::Tensor>;

// Numbers by which members are chosen, sums of max and min: larger is better; NaN loses, but a NaN
// that stands first wins, since nothing compares larger than it.
at::Tensor selection_keys(const at::Tensor& sums, Combination combination,
                          const at::Tensor& nan_key) {
  return at::where(sums.isnan(), nan_key, selects_largest(combination) ? sums : -sums);
}

// What is compared of rows: all entries, or their sum.
at::Tensor compared(const at::Tensor& x, Combination combination) {
  return selects_entries(combination) ? x : sum_entries(x);
}

}  // namespace

std::vector<double> segment_lengths(std::span<const std::uint32_t> offsets) {
  std::vector<double> result;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    result.push_back(offsets[s + 1] - offsets[s]);
  }
  return result;
}

at::Tensor RaggedReduction::operator()(const at::Tensor& x, c10::string_view kind,
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

RowSums member_sums(const Segments& segments, std::int64_t size, const LoweringContext& context) {
  return {plan_ragged_sum(segments), {size, context.reduce, false, nullptr}, context.arrays};
}

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

Rectangles::Rectangles(std::span<const std::uint32_t> offsets, DeviceArrays& arrays) {
  const SegmentBuckets layout = bucket_segments(offsets);
  for (const SegmentBucket& bucket : layout.buckets) {
    buckets_.push_back(
        {arrays.index(bucket.rows), bucket.count, static_cast<std::int64_t>(bucket.width)});
  }
  place_ = arrays.long_index(layout.place);
}

Step lower_ragged_select(const Segments& segments, ValueId from, Combination combination,
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
    const at::Tensor key = selection_keys(compared(x, combination), combination, nan_key);
    const at::Tensor best = reduce(key, "max", -kInfinity).index_select(0, owner);
    const at::Tensor place =
        at::where(key == best, number, at::scalar_tensor(kInfinity, number.options()));
    const at::Tensor winner = reduce(place, "min", kInfinity).to(at::kLong).expand({-1, x.size(1)});
    const at::Tensor selected = x.gather(0, winner);
    if (!recorded) return selected;
    return record(x, selected, [winner, rows](const at::Tensor& g) {
      return at::zeros({rows, g.size(1)}, g.options()).scatter_(0, winner, g);
    });
  };
}

Step lower_fixed_select(const FixedSegments& fixed, ValueId from, Combination combination,
                        DeviceArrays& arrays) {
  std::vector<double> keys(static_cast<std::size_t>(fixed.members), -kInfinity);
  keys[0] = kInfinity;
  const at::Tensor nan_key = arrays.values(keys, fixed.members, 1);
  return [=](Values values) {
    const at::Tensor x = fixed.view(values[from]);
    const bool recorded = is_recorded(x);
    const c10::NoGradGuard unrecorded;
    const at::Tensor key =
        selection_keys(fixed.view(compared(values[from], combination)), combination, nan_key);
    const at::Tensor member =
        at::arange(fixed.members, key.options().dtype(at::kLong)).unsqueeze(1);
    const at::Tensor none = at::full({}, fixed.members, member.options());
    const at::Tensor first =
        at::where(key == key.amax(1, /*keepdim=*/true), member, none).amin(1, /*keepdim=*/true);
    const at::Tensor winner = first.expand({-1, -1, x.size(2)});
    const at::Tensor selected = x.gather(1, winner).squeeze(1);
    if (!recorded) return selected;
    return record(x, selected, [winner, members = fixed.members](const at::Tensor& g) {
      return at::zeros({g.size(0), members, g.size(1)}, g.options())
          .scatter_(1, winner, g.unsqueeze(1));
    });
  };
}

}  // namespace vecc::libtorch
