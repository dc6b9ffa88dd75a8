// Long segments in pieces, which other threads (blocks) may take: split-K.
#pragma once

#include <cstdint>
#include <optional>

#include "vecc/plan.h"

namespace vecc {

struct SegmentPieces {
  Segments of_members;  ///< members of each piece
  Segments of_pieces;   ///< pieces of each segment
  Index segment_of;     ///< of each piece: its segment
  std::uint32_t pieces = 0;
  std::uint32_t rows = 0;  ///< segments
};

/// What is done with a segment's members, which decides how many a thread, or a block of threads,
/// takes. Sums: rows that are added up, or that get a sum's gradient. Pieces: there are no more
/// than that already.
enum class MemberKind : std::uint8_t { Rows, Sums, Softmax, OuterProducts, Pieces };

/// Segments (`rows` of them) with members, or gradients, of this shape, cut into pieces where one
/// is too long for one thread, or one block of threads. They depend on the segments, the target,
/// PlanOptions::usual_members and precision alone. `op` has the segments. `first_alone`: the first
/// member of each is a piece.
[[nodiscard]] std::optional<SegmentPieces> cut_long_segments(const PlanOptions& options, ValueId op,
                                                             const Segments& segments,
                                                             std::uint32_t rows, Shape shape,
                                                             MemberKind kind = MemberKind::Rows,
                                                             bool first_alone = false);

}  // namespace vecc
