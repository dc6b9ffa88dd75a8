// transpose-fixed-segments: a fixed-count segment that reduces the rows of a linear goes over
// dimension 1 instead of 2, and the operands of the linear are gathered in that order.
//
//   %2 = gather %0 [0, 1, 0, 1] ; %3 = gather %1 [4, 5, 6, 8]
//   %4 = linear %2, %3 : f32[4, 3x1]
//   %5 = segment %4 [fixed 2 dim 2] sum : f32[2, 3x1]
//   =>
//   %2 = gather %0 [0, 0, 1, 1] ; %3 = gather %1 [4, 6, 5, 8]
//   %4 = linear %2, %3 : f32[4, 3x1]
//   %5 = segment %4 [fixed 2 dim 1] sum : f32[2, 3x1]
//
// With c members a segment, both sides read i[0::c], then i[1::c], and so on. The members of a
// segment keep their order, so float sums are equal and max and min choose the same member. The
// weights of a rule, which follow each other in every segment, then stand each in one block.
//
// Left alone: rows that others read too or that come through another gather; segments of one
// member, a single segment (both dimensions are the same); concat (it has dimension 2 only),
// softmax and sparsemax (their result has a row a member); linears with lifts; and operands that
// would have to be copied where they are now read in place (a view, or a gather that others share).
#include <algorithm>

#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// Row k * count + s of the result is row s * members + k.
Index transposed_rows(std::uint32_t rows, std::uint32_t members) {
  std::vector<std::uint32_t> result;
  result.reserve(rows);
  for (std::uint32_t k = 0; k < members; ++k) {
    for (std::uint32_t row = k; row < rows; row += members) result.push_back(row);
  }
  return Index::list(std::move(result));
}

class Transposer {
 public:
  explicit Transposer(const Program& program)
      : program_(program), readers_(program), rewriter_(program) {}

  std::uint64_t run() {
    std::uint64_t transposed = 0;
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (program_.op(id).kind() == OpKind::Linear && transpose(id)) {
        ++transposed;
      } else if (!rewriter_.has(id)) {
        rewriter_.copy(id);
      }
    }
    return transposed;
  }

  Program finish() { return rewriter_.finish(); }

 private:
  // Rewrites the linear and at once the segment, the one reader of its rows.
  bool transpose(ValueId id) {
    const ValueId reader = readers_.only(id);
    if (reader == kNoValue || !is_transposable(reader)) return false;
    const auto& linear = std::get<LinearOp>(program_.op(id).attributes);
    if (has_lifts(linear)) return false;
    const auto& segment = std::get<SegmentOp>(program_.op(reader).attributes);
    const std::uint32_t members = segment.segments.members();
    const Index rows = transposed_rows(program_.op(id).rows, members);
    const auto& operands = program_.op(id).operands;
    if (copied_before(id) < copied_after(id, rows)) return false;
    const auto read = [&](ValueId operand) {
      return rewriter_.gather(rewriter_.at(operand), rows, program_.op(operand).note);
    };
    const ValueId left = read(operands[0]);
    const ValueId product = rewriter_.add(linear, {left, read(operands[1])}, id);
    rewriter_.replace(id, product);
    const SegmentOp over_rows{Segments::fixed(members, 1), segment.combination};
    rewriter_.replace(reader, rewriter_.add(over_rows, {product}, reader));
    return true;
  }

  [[nodiscard]] bool is_transposable(ValueId reader) const {
    const auto* op = std::get_if<SegmentOp>(&program_.op(reader).attributes);
    if (op == nullptr || !op->segments.is_fixed() || op->segments.dimension() != 2) return false;
    if (op->segments.members() < 2 || program_.op(reader).rows < 2) return false;
    return op->combination != Combination::Concat && !keeps_members(op->combination);
  }

  // Elements that the gathers of the operands write, of those that only this linear reads.
  [[nodiscard]] std::uint64_t copied_before(ValueId linear) const {
    std::uint64_t elements = 0;
    for (const ValueId operand : program_.op(linear).operands) {
      const auto* gather = std::get_if<GatherOp>(&program_.op(operand).attributes);
      const bool own = gather != nullptr && readers_.only(operand) == linear;
      if (own && !is_view(gather->index)) elements += program_.op(operand).size();
    }
    return elements;
  }
  [[nodiscard]] std::uint64_t copied_after(ValueId linear, const Index& rows) const {
    std::uint64_t elements = 0;
    for (const ValueId operand : program_.op(linear).operands) {
      if (!is_view(read_through(program_, operand, rows).rows)) {
        elements += program_.op(operand).size();
      }
    }
    return elements;
  }

  const Program& program_;
  Readers readers_;
  Rewriter rewriter_;
};

}  // namespace

bool transpose_fixed_segments(Program& program, PassContext& context) {
  const auto is_segment = [](const Op& op) { return op.kind() == OpKind::Segment; };
  if (std::ranges::none_of(program.ops(), is_segment)) return false;
  Transposer transposer(program);
  const std::uint64_t transposed = transposer.run();
  context.count("segments transposed", transposed);
  if (transposed == 0) return false;
  program = transposer.finish();
  return true;
}

}  // namespace vecc::opt
