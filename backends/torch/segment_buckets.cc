#include "backends/torch/segment_buckets.h"

#include <array>
#include <bit>

namespace vecc::libtorch {

SegmentBuckets bucket_segments(std::span<const std::uint32_t> offsets) {
  constexpr std::size_t kClasses = 33;  // widths 2^0 .. 2^32
  const auto class_of = [&](std::size_t s) {
    return static_cast<std::size_t>(std::bit_width(offsets[s + 1] - offsets[s] - 1u));
  };
  const auto is_empty = [&](std::size_t s) { return offsets[s + 1] == offsets[s]; };
  const std::size_t segments = offsets.size() - 1;

  std::array<std::uint32_t, kClasses> counts{};
  for (std::size_t s = 0; s < segments; ++s) {
    if (!is_empty(s)) ++counts[class_of(s)];
  }
  SegmentBuckets result;
  result.place.resize(offsets.back());
  std::array<std::size_t, kClasses> bucket_of_class{};
  std::vector<std::uint64_t> begin;  // of each bucket among all entries
  std::uint64_t entries = 0;
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (counts[c] == 0) continue;
    bucket_of_class[c] = result.buckets.size();
    result.buckets.push_back({std::uint64_t{1} << c, counts[c], {}});
    begin.push_back(entries);
    entries += std::uint64_t{counts[c]} << c;
  }
  for (std::size_t s = 0; s < segments; ++s) {
    if (is_empty(s)) continue;
    const std::size_t b = bucket_of_class[class_of(s)];
    SegmentBucket& bucket = result.buckets[b];
    const std::size_t filled = bucket.rows.size() + bucket.width;
    for (std::uint32_t row = offsets[s]; row < offsets[s + 1]; ++row) {
      result.place[row] = begin[b] + bucket.rows.size();
      bucket.rows.push_back(row);
    }
    bucket.rows.resize(filled, offsets.back());
  }
  return result;
}

}  // namespace vecc::libtorch
