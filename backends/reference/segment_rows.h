// What the rows of a segment op are.
#pragma once

#include <cstdint>

#include "src/program/members.h"
#include "vecc/program.h"

namespace vecc::reference {

/// Member k of a segment is row first + k * step.
struct SegmentRows {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t count = 0;

  [[nodiscard]] std::uint32_t operator[](std::uint32_t k) const { return first + k * step; }
};

/// Segment s over a value of `rows` rows.
[[nodiscard]] inline SegmentRows segment_rows(const Segments& segments, std::uint32_t rows,
                                              std::uint32_t s) {
  if (!segments.is_fixed()) {
    const std::uint32_t first = segments.offsets()[s];
    return {first, 1, segments.offsets()[s + std::size_t{1}] - first};
  }
  const std::uint32_t members = segments.members();
  if (segments.dimension() == 2) return {s * members, 1, members};
  return {s, segments.count(rows), members};
}

}  // namespace vecc::reference
