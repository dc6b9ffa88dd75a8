#include "backends/torch/torch_ops.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "backends/torch/segment_buckets.h"
#include "backends/torch/torch_functions.h"

namespace vecc {
namespace {

using Values = std::span<const at::Tensor>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t size_of(Shape shape) {
  return static_cast<std::int64_t>(shape.size());
}

Step constant_step(at::Tensor tensor) {
  return [tensor = std::move(tensor)](Values) { return tensor; };
}

Step lower(const FactOp& fact, const LoweringContext& context, ValueId) {
  DeviceArrays& arrays = context.arrays;
  if (!fact.unit) return constant_step(arrays.values(*fact.values, fact.rows, size_of(fact.shape)));
  constexpr double kOne = 1;
  return constant_step(arrays.values(std::span(&kOne, 1), 1, 1).expand({fact.rows, 1}));
}

Step lower(const WeightOp& weight, const LoweringContext& context, ValueId) {
  return constant_step(context.parameters[weight.parameter]);
}

Step lower(const ConcatOp&, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const std::vector<ValueId> operands(op.operands.begin(), op.operands.end());
  if (context.plan.chain[id] == kNoChain) {
    return [operands](Values values) {
      std::vector<at::Tensor> parts;
      for (const ValueId operand : operands) parts.push_back(values[operand]);
      return at::cat(parts, 0);
    };
  }
  const at::Tensor buffer = context.chains[context.plan.chain[id]];
  const std::size_t first_new = context.plan.continues[id] ? 1 : 0;
  const std::int64_t begin = first_new == 1 ? context.program.op(operands[0]).rows : 0;
  return [operands, buffer, first_new, begin, rows = std::int64_t{op.rows}](Values values) {
    std::int64_t at = begin;
    for (const ValueId operand : std::span(operands).subspan(first_new)) {
      const at::Tensor& part = values[operand];
      buffer.narrow(0, at, part.size(0)).copy_(part);
      at += part.size(0);
    }
    return buffer.narrow(0, 0, rows);
  };
}

Step lower(const GatherOp& gather, const LoweringContext& context, ValueId id) {
  const ValueId from = context.program.op(id).operands[0];
  const std::int64_t begin = gather.index.begin();
  const std::int64_t step = gather.index.step();
  const std::int64_t rows = gather.index.size();
  if (rows == 0) return [from](Values values) { return values[from].narrow(0, 0, 0); };
  switch (gather.index.form()) {
    case Index::Form::Slice:
      return [=](Values values) { return values[from].narrow(0, begin, rows); };
    case Index::Form::Stride:
      return [=](Values values) {
        return values[from].slice(0, begin, begin + (rows - 1) * step + 1, step);
      };
    // One row repeated stays a view; more rows have no regular stride.
    case Index::Form::Repeat:
      return [=](Values values) {
        const at::Tensor period = values[from].narrow(0, 0, step);
        return period.unsqueeze(0).expand({rows / step, -1, -1}).reshape({rows, period.size(1)});
      };
    case Index::Form::Interleave:
      return [=](Values values) {
        const at::Tensor each = values[from].narrow(0, 0, rows / step);
        return each.unsqueeze(1).expand({-1, step, -1}).reshape({rows, each.size(1)});
      };
    case Index::Form::List:
      return [from, index = context.arrays.index(gather.index.array())](Values values) {
        return values[from].index_select(0, index);
      };
  }
  fail_check("known index form", __FILE__, __LINE__, context.program.op(id).note);
}

// The grid on which both operands of a `linear` are plain or spread over one dimension.
struct LinearGrid {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  Spread left = Spread::None;
  Spread right = Spread::None;
  bool copies_right = false;  // both are lifted, in ways that no grid holds
};

LinearGrid plan_grid(const LinearOp& linear, std::int64_t left_rows, std::int64_t right_rows) {
  const auto is_lifted = [](const Lift& lift) {
    return lift.kind != Lift::Kind::None && lift.times != 1;
  };
  const auto spread_of = [](const Lift& lift) {
    return lift.kind == Lift::Kind::Repeat ? Spread::OverOuter : Spread::OverInner;
  };
  // A repeated operand's rows are the inner dimension, an interleaved one's the outer.
  const auto grid_of = [&](const Lift& lift, std::int64_t rows) {
    const bool repeats = lift.kind == Lift::Kind::Repeat;
    return repeats ? LinearGrid{lift.times, rows} : LinearGrid{rows, lift.times};
  };
  LinearGrid grid;
  if (is_lifted(linear.lift_left)) {
    grid = grid_of(linear.lift_left, left_rows);
    grid.left = spread_of(linear.lift_left);
    if (!is_lifted(linear.lift_right)) return grid;
    const LinearGrid other = grid_of(linear.lift_right, right_rows);
    const Spread spread = spread_of(linear.lift_right);
    if (other.outer == grid.outer && other.inner == grid.inner && spread != grid.left) {
      grid.right = spread;
    } else {
      grid.copies_right = true;
    }
    return grid;
  }
  if (is_lifted(linear.lift_right)) {
    grid = grid_of(linear.lift_right, right_rows);
    grid.right = spread_of(linear.lift_right);
    return grid;
  }
  grid.outer = left_rows;
  return grid;
}

at::Tensor copy_lifted(const at::Tensor& x, const Lift& lift) {
  const bool repeats = lift.kind == Lift::Kind::Repeat;
  const at::Tensor lifted = repeats ? x.unsqueeze(0).expand({lift.times, -1, -1})
                                    : x.unsqueeze(1).expand({-1, lift.times, -1});
  return lifted.reshape({lift.times * x.size(0), x.size(1)});
}

Step lower(const LinearOp& linear, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const ValueId left = op.operands[0];
  const ValueId right = op.operands[1];
  const Op& left_op = context.program.op(left);
  const Op& right_op = context.program.op(right);
  const LinearGrid grid = plan_grid(linear, left_op.rows, right_op.rows);
  return [=, left_shape = left_op.shape, right_shape = right_op.shape](Values values) {
    const at::Tensor r =
        grid.copies_right ? copy_lifted(values[right], linear.lift_right) : values[right];
    return multiply_rows({values[left], left_shape, linear.transpose_left, grid.left},
                         {r, right_shape, linear.transpose_right, grid.right}, grid.outer,
                         grid.inner);
  };
}

// Reductions of ragged segments; each segment is reduced in the order of its members.
class RaggedSegments {
 public:
  RaggedSegments(std::span<const std::uint32_t> offsets, DeviceArrays& arrays)
      : count_(static_cast<std::int64_t>(offsets.size()) - 1),
        rows_(offsets.back()),
        offsets_(arrays.long_index(offsets)) {}

  [[nodiscard]] std::int64_t rows() const { return rows_; }

  /// `kind`: sum, prod, max; `empty`: its neutral value.
  [[nodiscard]] at::Tensor reduce(const at::Tensor& x, c10::string_view kind, double empty) const {
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

// The segment of each row.
std::vector<std::uint32_t> owners(std::span<const std::uint32_t> offsets) {
  std::vector<std::uint32_t> result;
  result.reserve(offsets.back());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    result.insert(result.end(), offsets[s + 1] - offsets[s], static_cast<std::uint32_t>(s));
  }
  return result;
}

std::vector<double> lengths(std::span<const std::uint32_t> offsets) {
  std::vector<double> result;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    result.push_back(offsets[s + 1] - offsets[s]);
  }
  return result;
}

// Sums by which max and min choose: larger is better; NaN loses, but a NaN that stands first wins,
// since nothing compares larger than it.
at::Tensor selection_keys(const at::Tensor& x, bool largest, const at::Tensor& nan_key) {
  const at::Tensor sums = sum_entries(x);
  return at::where(sums.isnan(), nan_key, largest ? sums : -sums);
}

Step lower_ragged_select(const Segments& segments, ValueId from, bool largest,
                         DeviceArrays& arrays) {
  const auto offsets = segments.offsets();
  const RaggedSegments ragged(offsets, arrays);
  std::vector<double> keys(offsets.back(), -kInfinity);
  std::vector<double> numbers(offsets.back());
  std::iota(numbers.begin(), numbers.end(), 0.0);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) keys[offsets[s]] = kInfinity;
  const auto rows = ragged.rows();
  const at::Tensor nan_key = arrays.values(keys, rows, 1);
  // Row numbers as doubles, which segment_reduce takes, and which hold 32 bits exactly.
  DeviceArrays doubles(arrays.options().device(), at::kDouble);
  const at::Tensor number = arrays.count(doubles.values(numbers, rows, 1));
  const at::Tensor owner = arrays.index(owners(offsets));
  return [=](Values values) {
    const at::Tensor& x = values[from];
    if (rows == 0) return x;
    const at::Tensor key = selection_keys(x, largest, nan_key);
    const at::Tensor best = ragged.reduce(key, "max", -kInfinity).index_select(0, owner);
    const at::Tensor place =
        at::where(key == best, number, at::scalar_tensor(kInfinity, number.options()));
    const at::Tensor winner = ragged.reduce(place, "min", kInfinity);
    return x.index_select(0, winner.squeeze(1).to(at::kLong));
  };
}

Step lower_ragged_softmax(const Segments& segments, ValueId from, DeviceArrays& arrays) {
  const RaggedSegments ragged(segments.offsets(), arrays);
  const at::Tensor owner = arrays.index(owners(segments.offsets()));
  return [=](Values values) {
    const at::Tensor& x = values[from];
    const at::Tensor largest = ragged.reduce(x, "max", -kInfinity);
    const at::Tensor powers = (x - largest.index_select(0, owner)).exp_();
    return powers / ragged.reduce(powers, "sum", 0).index_select(0, owner);
  };
}

Step lower_ragged_sparsemax(const Segments& segments, ValueId from, DeviceArrays& arrays) {
  const SegmentBuckets layout = bucket_segments(segments.offsets());
  struct Bucket {
    at::Tensor rows;
    std::int64_t count;
    std::int64_t width;
  };
  std::vector<Bucket> buckets;
  for (const SegmentBucket& bucket : layout.buckets) {
    buckets.push_back(
        {arrays.index(bucket.rows), bucket.count, static_cast<std::int64_t>(bucket.width)});
  }
  const at::Tensor place = arrays.long_index(layout.place);
  return [=](Values values) {
    const at::Tensor& x = values[from];
    if (buckets.empty()) return x;
    const at::Tensor padded = at::cat({x, at::full({1, 1}, -kInfinity, x.options())}, 0);
    std::vector<at::Tensor> parts;
    for (const Bucket& bucket : buckets) {
      const at::Tensor members = padded.index_select(0, bucket.rows);
      const at::Tensor result = sparsemax_rows(members.view({bucket.count, bucket.width}));
      parts.push_back(result.reshape({bucket.count * bucket.width, 1}));
    }
    return at::cat(parts, 0).index_select(0, place);
  };
}

Step lower_ragged(const SegmentOp& segment, ValueId from, DeviceArrays& arrays) {
  const auto offsets = segment.segments.offsets();
  const auto count = static_cast<std::int64_t>(offsets.size()) - 1;
  switch (segment.combination) {
    case Combination::Sum:
      return [=, ragged = RaggedSegments(offsets, arrays)](Values values) {
        return ragged.reduce(values[from], "sum", 0);
      };
    case Combination::Avg: {
      std::vector<double> shares = lengths(offsets);
      for (double& n : shares) n = n == 0 ? 0 : 1 / n;
      return [=, ragged = RaggedSegments(offsets, arrays), share = arrays.values(shares, count, 1)](
                 Values values) { return ragged.reduce(values[from], "sum", 0) * share; };
    }
    case Combination::ElProduct:
      return [=, ragged = RaggedSegments(offsets, arrays)](Values values) {
        return ragged.reduce(values[from], "prod", 1);
      };
    case Combination::Max: return lower_ragged_select(segment.segments, from, true, arrays);
    case Combination::Min: return lower_ragged_select(segment.segments, from, false, arrays);
    case Combination::Count: return constant_step(arrays.values(lengths(offsets), count, 1));
    case Combination::Softmax: return lower_ragged_softmax(segment.segments, from, arrays);
    case Combination::Sparsemax: return lower_ragged_sparsemax(segment.segments, from, arrays);
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
    const at::Tensor sums = fixed.view(sum_entries(values[from])).squeeze(2);
    const at::Tensor key = at::where(sums.isnan(), nan_key, largest ? sums : -sums);
    const at::Tensor member = at::arange(fixed.members, key.options().dtype(at::kLong));
    const at::Tensor none = at::full({}, fixed.members, member.options());
    const at::Tensor winner =
        at::where(key == key.amax(1, /*keepdim=*/true), member, none).amin(1, /*keepdim=*/true);
    return x.gather(1, winner.unsqueeze(2).expand({-1, -1, x.size(2)})).squeeze(1);
  };
}

Step lower_fixed(const SegmentOp& segment, const Op& operand, ValueId from, DeviceArrays& arrays) {
  const FixedSegments fixed{segment.segments.count(operand.rows), segment.segments.members(),
                            segment.segments.dimension() == 2};
  const auto members = static_cast<double>(fixed.members);
  switch (segment.combination) {
    case Combination::Sum: return [=](Values values) { return fixed.view(values[from]).sum(1); };
    case Combination::Avg:
      return [=](Values values) { return fixed.view(values[from]).sum(1) * (1 / members); };
    case Combination::ElProduct:
      return [=](Values values) { return fixed.view(values[from]).prod(1); };
    case Combination::Max: return lower_fixed_select(fixed, from, true, arrays);
    case Combination::Min: return lower_fixed_select(fixed, from, false, arrays);
    case Combination::Count:
      return constant_step(arrays.values(std::span(&members, 1), 1, 1).expand({fixed.count, 1}));
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

Step lower(const SegmentOp& segment, const LoweringContext& context, ValueId id) {
  const ValueId from = context.program.op(id).operands[0];
  if (!segment.segments.is_fixed()) return lower_ragged(segment, from, context.arrays);
  return lower_fixed(segment, context.program.op(from), from, context.arrays);
}

Step lower(const TransformOp& transform, const LoweringContext& context, ValueId id) {
  const ValueId from = context.program.op(id).operands[0];
  const auto words = transform.words ? std::span<const std::uint32_t>(*transform.words)
                                     : std::span<const std::uint32_t>();
  return [from,
          apply = RowTransformation(transform.transformation, words, context.program.op(from).shape,
                                    context.arrays)](Values values) { return apply(values[from]); };
}

Step lower(const MapOp& map, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const std::vector<ValueId> operands(op.operands.begin(), op.operands.end());
  std::vector<Shape> shapes;
  for (const ValueId operand : operands) shapes.push_back(context.program.op(operand).shape);
  return [operands, expression = RowExpression(*map.expr, shapes, context.arrays),
          rows = std::int64_t{op.rows}](Values values) {
    std::vector<at::Tensor> rows_of_operands;
    for (const ValueId operand : operands) rows_of_operands.push_back(values[operand]);
    const at::Tensor result = expression(rows_of_operands);
    // Less than all rows, if everything that it reads broadcasts.
    return result.expand({rows, result.size(1)});
  };
}

Step lower(const ContractOp& contract, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const ValueId g = op.operands[0];
  const ValueId x = op.operands[1];
  const std::vector<std::uint32_t> types = contract.types.materialize();
  std::vector<std::uint32_t> order(types.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t e) { return types[e]; });
  std::vector<std::uint32_t> offsets(std::size_t{contract.type_count} + 1);
  for (const std::uint32_t type : types) ++offsets[type + std::size_t{1}];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  const at::Tensor sorted = context.arrays.index(order);
  const GradientShapes shapes{context.program.op(g).shape, context.program.op(x).shape,
                              contract.weight_shape};
  // A matrix product a type makes no outer products, but many launches where types are many.
  const std::size_t type_count = contract.type_count;
  if (type_count > 0 && type_count <= 64 && types.size() / type_count >= 32) {
    return [=](Values values) {
      const at::Tensor gs = values[g].index_select(0, sorted);
      const at::Tensor xs = values[x].index_select(0, sorted);
      std::vector<at::Tensor> sums;
      for (std::size_t t = 0; t < type_count; ++t) {
        const std::int64_t begin = offsets[t];
        const std::int64_t count = offsets[t + 1] - begin;
        sums.push_back(
            sum_weight_gradients(gs.narrow(0, begin, count), xs.narrow(0, begin, count), shapes));
      }
      return at::cat(sums, 0);
    };
  }
  return [=, ragged = RaggedSegments(offsets, context.arrays)](Values values) {
    return ragged.reduce(weight_gradients(values[g].index_select(0, sorted),
                                          values[x].index_select(0, sorted), shapes),
                         "sum", 0);
  };
}

Step lower(const OutputOp&, const LoweringContext& context, ValueId id) {
  return [from = context.program.op(id).operands[0]](Values values) { return values[from]; };
}

Step lower(const StateOp&, const LoweringContext& context, ValueId id) {
  fail_check("an op that the backend supports", __FILE__, __LINE__, context.program.op(id).note);
}

Step lower(const UpdateOp&, const LoweringContext& context, ValueId id) {
  fail_check("an op that the backend supports", __FILE__, __LINE__, context.program.op(id).note);
}

}  // namespace

Step lower_op(const LoweringContext& context, ValueId id) {
  return std::visit([&](const auto& attributes) { return lower(attributes, context, id); },
                    context.program.op(id).attributes);
}

}  // namespace vecc
