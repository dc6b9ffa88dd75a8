// Ragged segments as a few padded rectangles, for functions that need a segment in one row (a
// sort).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vecc::libtorch {

/// Segments of similar length side by side: `rows` holds count * width row numbers, segment after
/// segment, each filled up to `width` (a power of two) with the number of rows there are, which is
/// no row. So a segment takes less than twice its length, whatever the others are.
struct SegmentBucket {
  std::uint64_t width = 0;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> rows;
};
struct SegmentBuckets {
  std::vector<SegmentBucket> buckets;  ///< by rising width; empty segments are in none
  /// Where row i stands when the buckets' entries are written one after another.
  std::vector<std::uint64_t> place;
};
/// `offsets` as in Segments::ragged.
[[nodiscard]] SegmentBuckets bucket_segments(std::span<const std::uint32_t> offsets);

}  // namespace vecc::libtorch
