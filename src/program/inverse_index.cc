#include "src/program/inverse_index.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "vecc/error.h"

namespace vecc {
namespace {

// Positions by the upper bits of their rows: counts of a bucket's rows fit a core's first cache.
class RowBuckets {
 public:
  static constexpr int kBits = 10;  // pages written at once: 2^kBits

  explicit RowBuckets(std::uint32_t rows)
      : shift_(std::max(static_cast<int>(std::bit_width(std::max(rows, 1u) - 1)) - kBits, 0)),
        count_(((std::max(rows, 1u) - 1) >> shift_) + 1) {}

  [[nodiscard]] std::uint32_t of(std::uint32_t row) const { return row >> shift_; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t first_row(std::uint32_t bucket) const { return bucket << shift_; }
  /// Whether each is one row.
  [[nodiscard]] bool are_rows() const { return shift_ == 0; }

 private:
  int shift_;
  std::uint32_t count_;
};

/// A stable counting sort of 0 .. positions-1 by bucket_at(i), by all threads: visit(place, i), and
/// where each bucket begins, the last ends.
template <class BucketAt, class Visit>
std::vector<std::uint32_t> sort_by_bucket(std::uint32_t positions, std::uint32_t buckets,
                                          const BucketAt& bucket_at, const Visit& visit) {
  std::vector<std::vector<std::uint32_t>> next(ListThreads::ranges_of(positions));
  ListThreads::for_numbered_ranges(positions,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     std::vector<std::uint32_t> own(buckets);
                                     for (; begin < end; ++begin)
                                       ++own[bucket_at(static_cast<std::uint32_t>(begin))];
                                     next[range] = std::move(own);
                                   });
  std::vector<std::uint32_t> begin_of;
  begin_of.reserve(buckets + std::size_t{1});
  std::uint32_t place = 0;
  for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
    begin_of.push_back(place);
    for (auto& of_range : next) place += std::exchange(of_range[bucket], place);
  }
  begin_of.push_back(place);
  ListThreads::for_numbered_ranges(
      positions, [&](std::size_t range, std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t> own = std::move(next[range]);
        for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
          visit(own[bucket_at(i)]++, i);
        }
      });
  return begin_of;
}

/// `row_at(i)` is the row that position i reads.
template <class RowAt>
InverseIndex invert_by_threads(std::uint32_t positions, std::uint32_t rows, const RowAt& row_at) {
  InverseIndex inverse;
  inverse.readers = unset_list<std::uint32_t>(positions);
  const RowBuckets buckets(rows);
  std::vector<std::uint32_t> begin_of = sort_by_bucket(
      positions, buckets.count(), [&](std::uint32_t i) { return buckets.of(row_at(i)); },
      [&](std::uint32_t place, std::uint32_t i) { inverse.readers[place] = i; });
  if (buckets.are_rows()) {
    inverse.offsets = std::move(begin_of);
    return inverse;
  }
  inverse.offsets = unset_list<std::uint32_t>(rows + std::size_t{1});
  inverse.offsets[rows] = positions;
  ListThreads::for_pieces(buckets.count(), [&](std::size_t piece) {
    const auto bucket = static_cast<std::uint32_t>(piece);
    const std::uint32_t first = buckets.first_row(bucket);
    const std::uint32_t end = bucket + 1 == buckets.count() ? rows : buckets.first_row(bucket + 1);
    const std::vector<std::uint32_t> of_bucket(inverse.readers.begin() + begin_of[bucket],
                                               inverse.readers.begin() + begin_of[bucket + 1]);
    std::vector<std::uint32_t> next(end - first);
    for (const std::uint32_t i : of_bucket) ++next[row_at(i) - first];
    std::uint32_t place = begin_of[bucket];
    for (std::uint32_t row = first; row < end; ++row) {
      inverse.offsets[row] = place;
      place += std::exchange(next[row - first], place);
    }
    for (const std::uint32_t i : of_bucket) inverse.readers[next[row_at(i) - first]++] = i;
  });
  return inverse;
}

template <class RowAt>
InverseIndex invert(std::uint32_t positions, std::uint32_t rows, RowAt row_at) {
  const bool fits = holds_for_all(
      positions, [&](std::size_t i) { return row_at(static_cast<std::uint32_t>(i)) < rows; });
  VECC_CHECK(fits, "an index that fits its operand");
  if (ListThreads::ranges_of(positions) > 1) return invert_by_threads(positions, rows, row_at);
  InverseIndex inverse;
  inverse.readers.resize(positions);
  std::vector<std::uint32_t> next = long_list<std::uint32_t>(rows);
  for (std::uint32_t i = 0; i < positions; ++i) ++next[row_at(i)];
  inverse.offsets = offsets_of(rows, [&](std::size_t row) { return next[row]; });
  std::copy(inverse.offsets.begin(), inverse.offsets.end() - 1, next.begin());
  for (std::uint32_t i = 0; i < positions; ++i) inverse.readers[next[row_at(i)]++] = i;
  return inverse;
}

}  // namespace

InverseIndex inverse_index(std::span<const std::uint32_t> index, std::uint32_t rows,
                           std::uint32_t first) {
  return invert(static_cast<std::uint32_t>(index.size()), rows,
                [index, first](std::uint32_t i) { return index[i] - first; });
}

InverseIndex inverse_index(const Index& index, std::uint32_t rows) {
  return with_rows(index, [&](auto row_at) { return invert(index.size(), rows, row_at); });
}

}  // namespace vecc
