// How long segments are cut into pieces.
#pragma once

#include <cstdint>
#include <optional>

#include "src/plan/segment_pieces.h"
#include "vecc/plan.h"

namespace vecc {

/// What is done with a segment's members, which decides how many a block of threads takes. Pieces:
/// there are no more than that already.
enum class MemberKind : std::uint8_t { Rows, Softmax, OuterProducts, Pieces };

/// Segments (`rows` of them) with members, or gradients, of this shape, cut into pieces where one
/// is too long for one thread, or one block of threads. `first_alone`: the first member of each is
/// a piece.
[[nodiscard]] std::optional<SegmentPieces> cut_long_segments(const PlanOptions& options,
                                                             const Segments& segments,
                                                             std::uint32_t rows, Shape shape,
                                                             MemberKind kind = MemberKind::Rows,
                                                             bool first_alone = false);

}  // namespace vecc
