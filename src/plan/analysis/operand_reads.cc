#include "src/plan/analysis/operand_reads.h"

#include <algorithm>
#include <utility>

#include "src/kernel/schedule/outer_products.h"

namespace vecc {
namespace {

// A matrix that rows share is read once for a tile of them, if there are enough of a type.
constexpr std::uint64_t kSharedMatrix = 64;
constexpr std::uint32_t kRowsOfType = 4;
constexpr std::uint32_t kFewMatrices = 16;

}  // namespace

RowRead read_of(const Program& program, const ValueSources& sources, ValueId operand) {
  return {sources[operand], program.op(operand).shape};
}

std::vector<RowRead> map_reads(const Program& program, const ValueSources& sources,
                               std::span<const ValueId> operands, std::uint32_t rows) {
  std::vector<RowRead> reads;
  for (const ValueId operand : operands) {
    reads.push_back(read_of(program, sources, operand));
    reads.back().one = rows != 1 && program.op(operand).rows == 1;
  }
  return reads;
}

std::array<RowRead, 2> linear_reads(const Program& program, const ValueSources& sources, ValueId id,
                                    const std::optional<Index>& index) {
  const Op& op = program.op(id);
  const auto& linear = std::get<LinearOp>(op.attributes);
  std::array<RowRead, 2> reads;
  for (const std::size_t side : {0u, 1u}) {
    const ValueId operand = op.operands[side];
    const Lift& lift = side == 0 ? linear.lift_left : linear.lift_right;
    ValueSource source = lifted_source(sources[operand], lift, program.op(operand).rows);
    const std::uint32_t rows = program.op(source.value).rows;
    if (index) source = through(source, *index, rows);
    const bool is_one = source.index && rows == 1;
    reads[side] = {std::move(source), program.op(operand).shape, is_one};
  }
  return reads;
}

bool shares_one_matrix(const RowRead& matrix) {
  return matrix.one && matrix.shape.size() >= kSharedMatrix;
}

bool shares_matrix_by_type(const Program& program, const PlanOptions& options, std::uint32_t rows,
                           const RowRead& matrix) {
  if (!matrix.index || matrix.one || matrix.shape.size() < kSharedMatrix ||
      !matrix.shape.is_matrix() || matrix.index->form() == Index::Form::Slice) {
    return false;
  }
  if (is_split_over_blocks(options.target, matrix.shape)) return true;
  // Where short products do not run in blocks, the rows of few matrices need not be kept together.
  const std::uint32_t matrices = program.op(matrix.value).rows;
  const std::uint32_t longest = std::max(matrix.shape.rows(), matrix.shape.cols());
  if (longest < least_blocked_entries(options.target) && matrices <= kFewMatrices) return false;
  return rows >= kRowsOfType * std::uint64_t{matrices};
}

bool is_split_over_blocks(const Target& target, Shape matrix) {
  return target.has_shared_memory() && is_large_matrix(matrix);
}

bool is_slow_row(Transformation function, Shape row) {
  return row.size() < kLeastColumn && info(function).cost == FunctionCost::Slow;
}

bool is_constant_one(const Program& program, ValueId value) {
  if (value >= program.ops().size()) return false;
  const auto* fact = std::get_if<FactOp>(&program.op(value).attributes);
  return fact != nullptr && fact->unit;
}

}  // namespace vecc
