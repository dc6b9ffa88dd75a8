#include "optimizer/same_program.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <variant>
#include <vector>

#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

// By their bits: 0 and -0 differ.
template <class T>
bool is_same_array(const std::shared_ptr<const std::vector<T>>& a,
                   const std::shared_ptr<const std::vector<T>>& b) {
  if (a == b) return true;
  if (!a || !b || a->size() != b->size()) return false;
  return holds_for_ranges(a->size(), [&](std::size_t begin, std::size_t end) {
    return std::memcmp(a->data() + begin, b->data() + begin, (end - begin) * sizeof(T)) == 0;
  });
}

bool is_same_index(const Index& a, const Index& b) {
  return a.form() == b.form() && a == b;
}

// Attributes of one kind.
struct SameAttributes {
  const OpAttributes& other;

  bool operator()(const FactOp& a) const {
    const auto& b = std::get<FactOp>(other);
    return a.unit == b.unit && a.values.is_same(b.values);
  }
  bool operator()(const WeightOp& a) const {
    return a.parameter == std::get<WeightOp>(other).parameter;
  }
  bool operator()(const ConcatOp&) const { return true; }
  bool operator()(const GatherOp& a) const {
    return is_same_index(a.index, std::get<GatherOp>(other).index);
  }
  bool operator()(const LinearOp& a) const {
    const auto& b = std::get<LinearOp>(other);
    return a.transpose_left == b.transpose_left && a.transpose_right == b.transpose_right &&
           a.lift_left == b.lift_left && a.lift_right == b.lift_right;
  }
  bool operator()(const SegmentOp& a) const { return same(a, std::get<SegmentOp>(other)); }
  bool operator()(const TransformOp& a) const { return same(a, std::get<TransformOp>(other)); }
  bool operator()(const MapOp& a) const { return same(a, std::get<MapOp>(other)); }
  bool operator()(const ContractOp& a) const {
    const auto& b = std::get<ContractOp>(other);
    return a.type_count == b.type_count && is_same_index(a.types, b.types);
  }
  bool operator()(const VjpOp& a) const {
    const auto& b = std::get<VjpOp>(other);
    if (a.wrt != b.wrt || a.of.index() != b.of.index()) return false;
    return std::visit(
        [&](const auto& of) { return same(of, std::get<std::decay_t<decltype(of)>>(b.of)); }, a.of);
  }
  bool operator()(const DrawOp& a) const {
    const auto& b = std::get<DrawOp>(other);
    return a.bound == b.bound && a.seed == b.seed && a.stream == b.stream;
  }
  bool operator()(const TakeOp&) const { return true; }
  bool operator()(const SumEqualOp&) const { return true; }
  bool operator()(const ScatterSumOp&) const { return true; }
  bool operator()(const StateOp& a) const {
    const auto& b = std::get<StateOp>(other);
    return a.name == b.name &&
           std::bit_cast<std::uint64_t>(a.initial) == std::bit_cast<std::uint64_t>(b.initial);
  }
  bool operator()(const UpdateOp& a) const {
    const auto& b = std::get<UpdateOp>(other);
    return a.rows.has_value() == b.rows.has_value() && (!a.rows || is_same_index(*a.rows, *b.rows));
  }
  bool operator()(const OutputOp& a) const {
    return is_same_index(a.samples, std::get<OutputOp>(other).samples);
  }

  static bool same(const SegmentOp& a, const SegmentOp& b) {
    if (a.combination != b.combination) return false;
    return a.segments.members() == b.segments.members() &&
           a.segments.dimension() == b.segments.dimension() &&
           is_same_array(a.segments.shared_offsets(), b.segments.shared_offsets());
  }
  static bool same(const TransformOp& a, const TransformOp& b) {
    return (a.transformation == b.transformation ||
            text_of(a.transformation) == text_of(b.transformation)) &&
           is_same_array(a.words, b.words);
  }
  static bool same(const MapOp& a, const MapOp& b) {
    return a.expr == b.expr || a.expr->text() == b.expr->text();
  }
};

bool is_same_op(const Op& a, const Op& b) {
  if (&a == &b) return true;
  return a.kind() == b.kind() && a.rows == b.rows && a.shape == b.shape &&
         std::ranges::equal(a.operands, b.operands) &&
         std::visit(SameAttributes{b.attributes}, a.attributes);
}

bool is_same_parameter(const Parameter& a, const Parameter& b) {
  return a.name == b.name && a.rows == b.rows && a.shape == b.shape;
}

}  // namespace

bool is_same_program(const Program& a, const Program& b) {
  if (a.dtype() != b.dtype() || a.sample_count() != b.sample_count()) return false;
  if (!std::ranges::equal(a.parameters(), b.parameters(), is_same_parameter)) return false;
  if (a.ops().size() != b.ops().size()) return false;
  for (ValueId id = 0; id < a.ops().size(); ++id) {
    if (!is_same_op(a.op(id), b.op(id))) return false;
  }
  return true;
}

}  // namespace vecc::opt
