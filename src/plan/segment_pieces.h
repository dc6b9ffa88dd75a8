// Long segments in pieces, which other threads (blocks) may take.
#pragma once

#include <cstdint>
#include <optional>

#include "vecc/index.h"
#include "vecc/program.h"

namespace vecc {

struct SegmentPieces {
  Segments of_members;  ///< members of each piece
  Segments of_pieces;   ///< pieces of each segment
  Index segment_of;     ///< of each piece: its segment
  std::uint32_t pieces = 0;
  std::uint32_t rows = 0;  ///< segments
};

/// Pieces of at most `longest` members, if `segments` (`rows` of them) has one that is longer. They
/// depend on the segments alone. `first_alone`: the first member of each segment is a piece.
[[nodiscard]] std::optional<SegmentPieces> cut_segments(const Segments& segments,
                                                        std::uint32_t rows, std::uint32_t longest,
                                                        bool first_alone = false);

/// How many members a segment has.
[[nodiscard]] std::uint32_t members_in(const Segments& segments, std::uint32_t segment);

}  // namespace vecc
