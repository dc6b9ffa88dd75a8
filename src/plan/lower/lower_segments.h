// Over the members of segments. Long segments are cut into pieces: what is done over their members
// is done over the members of pieces, then over what the pieces make.
#pragma once

#include <optional>

#include "src/plan/analysis/piece_length.h"
#include "src/plan/lower/op_lowering.h"

namespace vecc {

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
