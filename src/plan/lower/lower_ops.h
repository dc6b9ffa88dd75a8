// From the ops of a Program to kernel groups: one function a kind of op, by which `lowering.op`
// becomes nodes of kernels.
#pragma once

#include "src/plan/lower/op_lowering.h"

namespace vecc {

/// All ops of the Program, in its order, then its updates. `analysis` outlives the result.
[[nodiscard]] Grouping lower_program(const Program& program, const PlanOptions& options,
                                     const ProgramAnalysis& analysis);

void lower_concat(const OpLowering& lowering);
void lower_contract(const OpLowering& lowering, const ContractOp& contract);
void lower_linear(const OpLowering& lowering, const LinearOp& linear);
void lower_map(const OpLowering& lowering, const MapOp& map);
void lower_output(const OpLowering& lowering);
void lower_segment(const OpLowering& lowering, const SegmentOp& segment);
void lower_transform(const OpLowering& lowering, const TransformOp& transform);
/// Gradients by an operand of a function.
void lower_map_vjp(const OpLowering& lowering, const VjpOp& vjp, const MapOp& map);
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
/// Each of a few matrices times each column, as one product with the matrices below one another.
/// False if the op is none.
[[nodiscard]] bool lower_stacked_linear(const OpLowering& lowering, const LinearOp& linear);

}  // namespace vecc
