// drop-identity: ops that return what they read.
//
//   - a transform that keeps each row as it is: identity; a broadcast, reshape or slice to the same
//     shape; a transpose or element 0 of a scalar; the transpose of a transpose
//   - a segment of which every segment has one member: sum, avg, elproduct, max, min; concat of
//     columns (not count, softmax, sparsemax: those are 1)
//   - a gather of all rows in order; a concat of one operand; a map that is its operand, or that
//     times ones
//   - in a linear: a lift of times 1, the transpose of a scalar, the transpose of a transpose
//   - the transpose of a linear, or of a sum or mean of one, that no other op reads: the linear
//   with
//     its sides exchanged gives the same numbers in the other order
//
// Readers read the operand instead, an output too; a gather that then reads a gather becomes one.
//
//   %4 = transform %3 identity : f32[3, 2x1] ; %5 = gather %4 [1] : f32[1, 2x1]
//   =>
//   %4 = gather %3 [1] : f32[1, 2x1]
#include <algorithm>
#include <optional>

#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

bool all_single(const Segments& segments, std::uint32_t rows) {
  for (std::uint32_t s = 0; s < segments.count(rows); ++s) {
    if (member_count(segments, s) != 1) return false;
  }
  return true;
}

// Whether the combination of one element is that element.
bool keeps_single(Combination combination, const Op& op, const Op& operand) {
  switch (info(combination).segment) {
    case CombinationSegment::Reduction: return true;
    case CombinationSegment::Flat: return op.shape == operand.shape;
    case CombinationSegment::Number:
    case CombinationSegment::Members:
    case CombinationSegment::None: return false;
  }
  return false;
}

// Whether the transformation returns a row of shape `from` as it is, made `to`.
bool keeps_rows(Transformation transformation, Shape from, Shape to) {
  switch (info(transformation).form) {
    case FunctionForm::Same: return true;
    case FunctionForm::Broadcast:
    case FunctionForm::Shape:
    case FunctionForm::Part: return from == to;
    case FunctionForm::Transposed:
    case FunctionForm::Entry: return from.is_scalar();
    case FunctionForm::Entries:
    case FunctionForm::Row:
    case FunctionForm::Column: return false;
  }
  return false;
}

// The input that an expression is: by itself, or times ones.
std::optional<std::uint32_t> kept_input(const Expr& expr) {
  std::optional<std::uint32_t> input;
  for (std::size_t n = 0; n < expr.nodes.size(); ++n) {
    const ExprNode& node = expr.nodes[n];
    const bool is_product = n > 0 && n + 1 == expr.nodes.size() &&
                            node.kind == ExprNode::Kind::Combine &&
                            node.combination == Combination::ElProduct && node.arity == n;
    const bool is_one = node.kind == ExprNode::Kind::Constant && node.constant == 1;
    if (node.kind == ExprNode::Kind::Input && !input) {
      input = node.input;
    } else if (!is_one && !is_product) {
      return std::nullopt;
    }
  }
  return input;
}

// The new value whose transposed rows are those of `value`, if that is a transpose, read through
// gathers.
std::optional<ValueId> untransposed(Rewriter& rewriter, ValueId value) {
  const GatheredRows read = read_through(rewriter.to(), value);
  const Op& source = rewriter.to().op(read.source);
  const auto* transform = std::get_if<TransformOp>(&source.attributes);
  if (!transform || transform->transformation.id != Transformation::Transp) return {};
  const Note note = rewriter.to().op(value).note;
  return rewriter.gather(source.operands[0], read.rows, note);
}

class IdentityDropper {
 public:
  explicit IdentityDropper(const Program& program) : program_(program), rewriter_(program) {}

  // Ops that went, and lifts and transposes that went from a linear.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  Program run() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      std::visit([&](const auto& op) { visit(op, id); }, program_.op(id).attributes);
    }
    return rewriter_.finish();
  }

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return program_.op(id); }
  [[nodiscard]] const Op& operand(ValueId id) const { return op(op(id).operands[0]); }
  [[nodiscard]] ValueId now_operand(ValueId id) const { return rewriter_.at(op(id).operands[0]); }

  void drop(ValueId id, ValueId now) {
    rewriter_.replace(id, now);
    ++dropped_;
  }

  void copy_unless(bool keeps, ValueId id) {
    if (keeps) {
      drop(id, now_operand(id));
    } else {
      rewriter_.copy(id);
    }
  }

  void visit(const FactOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const WeightOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const ContractOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const VjpOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const DrawOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const TakeOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const SumEqualOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const ScatterSumOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const StateOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const UpdateOp&, ValueId id) { rewriter_.copy(id); }
  void visit(const OutputOp&, ValueId id) { rewriter_.copy(id); }

  void visit(const ConcatOp&, ValueId id) { copy_unless(op(id).operands.size() == 1, id); }

  void visit(const GatherOp& gather, ValueId id) {
    if (is_identity(gather.index, operand(id).rows)) return drop(id, now_operand(id));
    rewriter_.replace(id, rewriter_.gather(now_operand(id), gather.index, op(id).note));
  }

  void visit(const SegmentOp& segment, ValueId id) {
    copy_unless(keeps_single(segment.combination, op(id), operand(id)) &&
                    all_single(segment.segments, operand(id).rows),
                id);
  }

  void visit(const TransformOp& transform, ValueId id) {
    const Transformation kind = transform.transformation.id;
    if (keeps_rows(kind, operand(id).shape, op(id).shape)) return drop(id, now_operand(id));
    if (kind == Transformation::Transp) {
      if (const auto before = untransposed(rewriter_, now_operand(id))) return drop(id, *before);
      if (const auto exchanged = exchange_sides(op(id).operands[0])) return drop(id, *exchanged);
    }
    rewriter_.copy(id);
  }

  [[nodiscard]] bool has_one_reader(ValueId value) {
    if (!readers_) readers_.emplace(program_);
    return readers_->only(value) != kNoValue;
  }

  // What a transpose reads, already transposed: a linear, the sum or mean of one, a contract.
  std::optional<ValueId> exchange_sides(ValueId value) {
    if (!has_one_reader(value)) return {};
    if (const auto* linear = std::get_if<LinearOp>(&op(value).attributes)) {
      LinearOp other;
      const ValueId left = op(value).operands[1];
      const ValueId right = op(value).operands[0];
      other.transpose_left = !linear->transpose_right && !op(left).shape.is_scalar();
      other.transpose_right = !linear->transpose_left && !op(right).shape.is_scalar();
      other.lift_left = linear->lift_right;
      other.lift_right = linear->lift_left;
      return rewriter_.add(other, {rewriter_.at(left), rewriter_.at(right)}, value);
    }
    if (const auto* contract = std::get_if<ContractOp>(&op(value).attributes)) {
      const ValueId g = op(value).operands[0];
      const ValueId x = op(value).operands[1];
      const Shape weight = contract->weight_shape.transposed();
      const bool scales = weight.is_scalar() || op(g).shape.is_scalar() || op(x).shape.is_scalar();
      if (scales || times_shape(weight, op(g).shape) != op(x).shape) return {};
      return rewriter_.add(ContractOp{contract->types, contract->type_count, weight},
                           {rewriter_.at(x), rewriter_.at(g)}, value);
    }
    const auto* segment = std::get_if<SegmentOp>(&op(value).attributes);
    if (segment == nullptr ||
        (segment->combination != Combination::Sum && segment->combination != Combination::Avg)) {
      return {};
    }
    const auto members = exchange_sides(op(value).operands[0]);
    if (!members) return {};
    return rewriter_.add(*segment, {*members}, value);
  }

  void visit(const MapOp& map, ValueId id) {
    const auto input = kept_input(*map.expr);
    if (!input || op(op(id).operands[*input]).rows != op(id).rows ||
        op(op(id).operands[*input]).shape != op(id).shape) {
      rewriter_.copy(id);
    } else {
      drop(id, rewriter_.at(op(id).operands[*input]));
    }
  }

  // One side of a linear without what does nothing to it.
  ValueId clean_side(ValueId old, bool& transposed, Lift& lift) {
    const ValueId now = rewriter_.at(old);
    if (lift.kind != Lift::Kind::None && lift.times == 1) {
      lift = Lift();
      ++dropped_;
    }
    if (!transposed) return now;
    const auto before = untransposed(rewriter_, now);
    if (!before && !op(old).shape.is_scalar()) return now;
    transposed = false;
    ++dropped_;
    return before.value_or(now);
  }

  void visit(const LinearOp& linear, ValueId id) {
    LinearOp clean = linear;
    const std::uint64_t before = dropped_;
    const ValueId left = clean_side(op(id).operands[0], clean.transpose_left, clean.lift_left);
    const ValueId right = clean_side(op(id).operands[1], clean.transpose_right, clean.lift_right);
    if (dropped_ == before) {
      rewriter_.copy(id);
    } else {
      rewriter_.replace(id, rewriter_.add(clean, {left, right}, id));
    }
  }

  const Program& program_;
  std::optional<Readers> readers_;  // once a transpose asks
  Rewriter rewriter_;
  std::uint64_t dropped_ = 0;
};

}  // namespace

bool drop_identity(Program& program, PassContext& context) {
  IdentityDropper dropper(program);
  Program result = dropper.run();
  context.count("identities dropped", dropper.dropped());
  if (dropper.dropped() == 0) return false;
  program = std::move(result);
  return true;
}

}  // namespace vecc::opt
