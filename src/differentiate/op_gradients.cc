// Ops that move rows: what they move goes back.
#include "src/differentiate/op_gradients.h"

#include "src/program/index_algebra.h"

namespace vecc::autodiff {
namespace {

// Rows that are all read equally often stand in fixed segments.
std::optional<Segments> regular_readers(const Index& index, std::uint32_t rows) {
  const bool repeats = index.form() == Index::Form::Repeat && index.step() == rows;
  const bool interleaves = index.form() == Index::Form::Interleave && index.bound() == rows;
  if (rows == 0 || index.size() == 0 || !(repeats || interleaves)) return std::nullopt;
  return Segments::fixed(index.size() / rows, repeats ? 1 : 2);
}

}  // namespace

void OpGradients::pass_on(ValueId id, ValueId g) {
  const Op op = program_.op(id);  // a copy: appending moves the ops
  note_ = op.note;
  std::visit([&](const auto& attributes) { pass(attributes, id, g); }, op.attributes);
}

void OpGradients::pass(const ConcatOp&, ValueId id, ValueId g) {
  sums_.add_rows(id, g, Index::slice(0, program_.op(id).rows));
}

void OpGradients::pass(const GatherOp& gather, ValueId id, ValueId g) {
  const ValueId source = program_.op(id).operands[0];
  const auto readers = regular_readers(gather.index, program_.op(source).rows);
  if (!readers) return sums_.add_rows(source, g, gather.index);
  if (readers->members() == 1) return sums_.add(source, g);
  const auto [sum, is_new] =
      reader_sums_.try_emplace({g, readers->members(), readers->dimension()});
  if (is_new) sum->second = program_.segment(g, *readers, Combination::Sum, note_);
  sums_.add(source, sum->second);
}

bool OpGradients::pass_read(ValueId id, const GradientSum::Read& read) {
  const Op& op = program_.op(id);
  if (op.kind() == OpKind::Concat) {
    sums_.add_rows(id, read, Index::slice(0, op.rows));
    return true;
  }
  const auto* gather = std::get_if<GatherOp>(&op.attributes);
  if (gather == nullptr) return false;
  const ValueId source = op.operands[0];
  if (regular_readers(gather->index, program_.op(source).rows)) return false;
  sums_.add_rows(source, read, gather->index);
  return true;
}

// Row numbers are constant between jumps: nothing goes to them.
void OpGradients::pass(const TakeOp&, ValueId id, ValueId g) {
  const Operands operands = program_.op(id).operands;
  const std::uint32_t rows = program_.op(operands[0]).rows;
  sums_.add(operands[0], added(ScatterSumOp{rows}, {g, operands[1]}));
}

// Each row of g is in the sums of all rows of its number: the op is its own transpose.
void OpGradients::pass(const SumEqualOp& sum, ValueId id, ValueId g) {
  const Operands operands = program_.op(id).operands;
  sums_.add(operands[0], added(sum, {g, operands[1]}));
}

void OpGradients::pass(const ScatterSumOp&, ValueId id, ValueId g) {
  const Operands operands = program_.op(id).operands;
  sums_.add(operands[0], added(TakeOp{}, {g, operands[1]}));
}

ValueId OpGradients::added(OpAttributes attributes, Operands operands) {
  const Result<ValueId> value = program_.add(std::move(attributes), std::move(operands), note_);
  VECC_CHECK(value.has_value(), value ? "" : value.error().text());
  return *value;
}

void OpGradients::pass(const OutputOp&, ValueId id, ValueId g) {
  sums_.add(program_.op(id).operands[0], g);
}

void OpGradients::pass(const ContractOp&, ValueId, ValueId) {
  fail_check("an op with a derivative", __FILE__, __LINE__, note_);
}
void OpGradients::pass(const VjpOp&, ValueId, ValueId) {
  fail_check("an op with a derivative", __FILE__, __LINE__, note_);
}
void OpGradients::pass(const UpdateOp&, ValueId, ValueId) {
  fail_check("an op with a derivative", __FILE__, __LINE__, note_);
}

// Else the gather's rows would have to be kept for the backward pass; and a backend reads through a
// gather that has one reader. A view is read in place.
ValueId OpGradients::reread(ValueId value) {
  const Op& op = program_.op(value);
  const auto* gather = std::get_if<GatherOp>(&op.attributes);
  if (gather == nullptr || is_view(gather->index)) return value;
  const Index index = gather->index;
  return program_.gather(op.operands[0], index, op.note);
}

ValueId OpGradients::transpose(ValueId value) {
  const Op& op = program_.op(value);
  if (op.shape.is_scalar()) return value;
  if (value < transposed_.size() && transposed_[value]) return *transposed_[value];
  const TransformationSpec transp{.id = Transformation::Transp, .target = {}};
  ValueId result = 0;
  const auto* gather = std::get_if<GatherOp>(&op.attributes);
  if (gather != nullptr && program_.op(op.operands[0]).rows <= op.rows) {
    const Index index = gather->index;
    result = program_.gather(transpose(op.operands[0]), index, note_);
  } else {
    result = program_.transform(reread(value), transp, {}, note_);
  }
  if (value < transposed_.size()) transposed_[value] = result;
  return result;
}

ValueId OpGradients::reshape(ValueId value, Shape shape) {
  if (program_.op(value).shape == shape) return value;
  return program_.transform(value, {.id = Transformation::Reshape, .target = shape}, {}, note_);
}

}  // namespace vecc::autodiff
