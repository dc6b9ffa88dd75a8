// From the ops of a Program to kernel groups: one function a kind of op, by which `lowering.op`
// becomes nodes of kernels.
#pragma once

#include <optional>

#include "src/plan/analysis/segment_pieces.h"
#include "src/plan/lower/op_lowering.h"

namespace vecc {

/// All ops of the Program, in its order, then its updates. `analysis` outlives the result.
[[nodiscard]] Grouping lower_program(const Program& program, const PlanOptions& options,
                                     const ProgramAnalysis& analysis);

void lower_concat(const OpLowering& lowering);
/// `side_sum`: the sum of the left side's rows that the same loop makes (find_side_sums), or kNone.
void lower_contract(const OpLowering& lowering, const ContractOp& contract,
                    ValueId side_sum = kNone);
void lower_draw(const OpLowering& lowering, const DrawOp& draw);
void lower_linear(const OpLowering& lowering, const LinearOp& linear);
void lower_map(const OpLowering& lowering, const MapOp& map);
void lower_output(const OpLowering& lowering);
void lower_scatter_sum(const OpLowering& lowering, const ScatterSumOp& scatter);
void lower_segment(const OpLowering& lowering, const SegmentOp& segment);
void lower_sum_equal(const OpLowering& lowering);
void lower_take(const OpLowering& lowering);
void lower_transform(const OpLowering& lowering, const TransformOp& transform);
/// Gradients by an operand of a function.
void lower_map_vjp(const OpLowering& lowering, const MapOp& map);
void lower_segment_vjp(const OpLowering& lowering, const SegmentOp& segment);
void lower_transform_vjp(const OpLowering& lowering, const VjpOp& vjp,
                         const TransformOp& transform);
/// All updates of a Program, after its other ops: `lowering` is the last of these's.
void lower_updates(const OpLowering& lowering);

// What several of them do.

/// Rows of `read` are stored among those of `id`, from a row on.
void copy_rows(const OpLowering& lowering, ValueId id, const RowRead& read, std::uint32_t rows,
               std::uint32_t first_row);
/// The same numbers become rows of another length.
void reshape_rows(const OpLowering& lowering, ValueId id, const RowRead& read);
/// Rows of `lowering.op`, a `linear`, all or those of an index, become the value `made`.
void make_product(const OpLowering& lowering, ValueId made,
                  const std::optional<Index>& index = std::nullopt);

/// How a kernel selects among rows of that shape: elmax and elmin of one entry are max and min.
[[nodiscard]] Combination kernel_selection(Combination combination, Shape member);

// Over the members of segments. Long ones are cut into pieces: what is done over their members is
// done over the members of pieces, then over what the pieces make.

/// The sum, mean, product, largest or smallest of each segment's members become the value `id`.
void reduce_members(const OpLowering& lowering, ValueId id, const RowRead& members,
                    const Segments& segments, std::uint32_t rows, Combination combination,
                    MemberKind kind = MemberKind::Rows, bool skips_nan = false);

/// The same of members that are cut: of the pieces' members, then of what the pieces make.
void reduce_pieces(const OpLowering& lowering, ValueId id, const RowRead& members,
                   const SegmentPieces& pieces, Combination combination,
                   MemberKind kind = MemberKind::Rows);

void lower_softmax(const OpLowering& lowering, const RowRead& members, const Segments& segments);
void lower_sparsemax(const OpLowering& lowering, const RowRead& members, const Segments& segments);
/// Of both: `y` is what they made, g the gradient by that.
void lower_softmax_vjp(const OpLowering& lowering, const RowRead& y, const RowRead& g,
                       const SegmentOp& segment);

/// Whether a sum over segments of which few are cut stores the others where they belong.
[[nodiscard]] bool adds_few_pieces(const OpLowering& lowering, ValueId id,
                                   const SegmentPieces& pieces, Combination combination);
void reduce_few_pieces(const OpLowering& lowering, ValueId id, const RowRead& members,
                       const Segments& segments, const SegmentPieces& pieces,
                       Combination combination);

/// What the pieces of a segment read of it.
[[nodiscard]] RowRead through_pieces(const OpLowering& lowering, const RowRead& read,
                                     const SegmentPieces& pieces);
/// Of each segment 1 / its members.
[[nodiscard]] RowRead add_shares(const OpLowering& lowering, const Segments& segments,
                                 std::uint32_t rows);

}  // namespace vecc
