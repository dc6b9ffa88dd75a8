#include "backends/torch/grouped_linears.h"

#include "backends/torch/linear_operands.h"
#include "backends/torch/torch_times.h"

namespace vecc::libtorch {
namespace {

// Sorting the matrices, the inputs and the results.
constexpr std::uint64_t kLaunchesBesideBatches = 3;

}  // namespace

std::int64_t grouping_gain(const GroupedLinearSize& size) {
  if (size.groups.positions > kMaxRows) return -1;
  const std::uint64_t copied = 2 * size.reads * size.matrix;
  const std::uint64_t sorted =
      2 * (size.groups.types * size.matrix + size.groups.positions * (size.input + size.result));
  const std::uint64_t launches =
      (size.groups.batches + kLaunchesBesideBatches) * torch_times(size.cuda).launch;
  return static_cast<std::int64_t>(copied) - static_cast<std::int64_t>(sorted + launches);
}

GroupedLinears::GroupedLinears(const Program& program, bool group, bool cuda)
    : program_(program), grouped_(program.ops().size(), GroupedLinear{kNone, 0, 0, false}) {
  if (!group) return;
  const std::vector<std::uint32_t> readers = count_readers(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (program.op(id).kind() != OpKind::Linear) continue;
    std::int64_t best = 0;
    for (const std::uint32_t side : {0U, 1U}) {
      if (!may_group(id, side, readers)) continue;
      const std::int64_t gained = gain(id, side, cuda);
      if (gained <= best) continue;
      best = gained;
      const ValueId other = program.op(id).operands[1 - side];
      const bool gathered = program.op(other).kind() == OpKind::Gather && readers[other] == 1;
      grouped_[id] = {side, program.op(program.op(id).operands[side]).operands[0],
                      gathered ? program.op(other).operands[0] : other, gathered};
    }
  }
}

// Whether an operand is a gather that only the linear reads, of rows that are multiplied as
// matrices. Rows that a gather reads in order (a view) are no copies.
bool GroupedLinears::may_group(ValueId linear, std::uint32_t side,
                               const std::vector<std::uint32_t>& readers) const {
  const Op& op = program_.op(linear);
  const Op& from = program_.op(op.operands[side]);
  const auto* gather = std::get_if<GatherOp>(&from.attributes);
  if (gather == nullptr || readers[op.operands[side]] != 1) return false;
  const bool copies =
      gather->index.form() != Index::Form::Slice && gather->index.form() != Index::Form::Stride;
  return copies && !from.shape.is_scalar() && !program_.op(op.operands[1 - side]).shape.is_scalar();
}

std::int64_t GroupedLinears::gain(ValueId linear, std::uint32_t side, bool cuda) const {
  const Op& op = program_.op(linear);
  const Op& gather = program_.op(op.operands[side]);
  GroupedLinearSize size{.reads = gather.rows,
                         .matrix = gather.shape.size(),
                         .input = program_.op(op.operands[1 - side]).shape.size(),
                         .result = op.shape.size(),
                         .groups = {},
                         .cuda = cuda};
  // However few types there are, every row is sorted.
  size.groups.positions = op.rows;
  if (grouping_gain(size) <= 0) return 0;
  size.groups = count_row_groups(rows_read(linear, side, /*gathered=*/true),
                                 program_.op(gather.operands[0]).rows);
  return grouping_gain(size);
}

std::vector<std::uint32_t> GroupedLinears::rows_read(ValueId linear, std::uint32_t side,
                                                     bool gathered) const {
  const Op& op = program_.op(linear);
  const Op& operand = program_.op(op.operands[side]);
  const Lift& lift = lift_of(std::get<LinearOp>(op.attributes), side);
  const Index* index = gathered ? &std::get<GatherOp>(operand.attributes).index : nullptr;
  std::vector<std::uint32_t> result;
  result.reserve(op.rows);
  for (std::uint32_t e = 0; e < op.rows; ++e) {
    const std::uint32_t row = row_before(lift, operand.rows, e);
    result.push_back(index != nullptr ? (*index)[row] : row);
  }
  return result;
}

RowGroups GroupedLinears::groups(ValueId linear) const {
  const GroupedLinear& reads = grouped_[linear];
  return group_rows(rows_read(linear, reads.side, /*gathered=*/true),
                    program_.op(reads.matrices).rows);
}

std::vector<std::uint32_t> GroupedLinears::input_rows(ValueId linear) const {
  const GroupedLinear& reads = grouped_[linear];
  return rows_read(linear, 1 - reads.side, reads.gathers_inputs);
}

}  // namespace vecc::libtorch
