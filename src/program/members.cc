#include "src/program/members.h"

#include <algorithm>
#include <utility>

#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"

namespace vecc {
namespace {

// Over dimension 1: [members, segments].
std::optional<std::vector<std::uint32_t>> whole_columns(const Segments& segments,
                                                        std::uint32_t rows,
                                                        std::span<const std::uint32_t> kept) {
  if (kept.size() % segments.members() != 0) return std::nullopt;
  const std::uint32_t before = segments.count(rows);
  const std::size_t now = kept.size() / segments.members();
  const auto first = kept.first(now);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (first[i % now] >= before || kept[i] != i / now * before + first[i % now]) {
      return std::nullopt;
    }
  }
  return std::vector<std::uint32_t>(first.begin(), first.end());
}

}  // namespace

std::vector<std::uint32_t> owners_of(const Segments& segments, std::uint32_t rows) {
  std::vector<std::uint32_t> owner = unset_list<std::uint32_t>(rows);
  ListThreads::for_ranges(segments.count(rows), [&](std::size_t begin, std::size_t end) {
    for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) {
      for_each_member(segments, rows, s, [&](std::uint32_t row) { owner[row] = s; });
    }
  });
  return owner;
}

std::uint32_t segment_of(const Segments& segments, std::uint32_t rows, std::uint32_t row) {
  if (segments.is_fixed()) {
    return segments.dimension() == 2 ? row / segments.members() : row % segments.count(rows);
  }
  const auto offsets = segments.offsets();
  return static_cast<std::uint32_t>(std::ranges::upper_bound(offsets, row) - offsets.begin()) - 1;
}

bool keeps_members(Combination combination) {
  return combination == Combination::Softmax || combination == Combination::Sparsemax;
}

Segments segments_of_lengths(std::span<const std::uint32_t> lengths) {
  const bool equal =
      std::ranges::adjacent_find(lengths, std::ranges::not_equal_to()) == lengths.end();
  if (equal && !lengths.empty() && lengths[0] > 0) return Segments::fixed(lengths[0]);
  std::vector<std::uint32_t> offsets{0};
  offsets.reserve(lengths.size() + 1);
  for (const std::uint32_t length : lengths) offsets.push_back(offsets.back() + length);
  return Segments::ragged(std::move(offsets));
}

std::optional<std::vector<std::uint32_t>> whole_segments(const Segments& segments,
                                                         std::uint32_t rows,
                                                         std::span<const std::uint32_t> kept) {
  if (segments.is_fixed() && segments.dimension() == 1) {
    return whole_columns(segments, rows, kept);
  }
  // Members stand one after another: before each but the first of a segment stands the one before,
  // behind each but the last the next.
  const std::vector<std::uint32_t> owner = owners_of(segments, rows);
  const auto is_first = [&](std::uint32_t row) { return row == 0 || owner[row - 1] != owner[row]; };
  const auto is_last = [&](std::uint32_t row) {
    return row + 1 == rows || owner[row + 1] != owner[row];
  };
  const bool are_whole = holds_for_all(kept.size(), [&](std::size_t i) {
    const std::uint32_t row = kept[i];
    const bool follows = is_first(row) || (i > 0 && kept[i - 1] + 1 == row);
    return follows && (is_last(row) || (i + 1 < kept.size() && kept[i + 1] == row + 1));
  });
  if (!are_whole) return std::nullopt;
  const std::vector<std::uint32_t> begins = entries_where(
      static_cast<std::uint32_t>(kept.size()), [&](std::uint32_t i) { return is_first(kept[i]); });
  return list_of(static_cast<std::uint32_t>(begins.size()),
                 [&](std::uint32_t k) { return owner[kept[begins[k]]]; });
}

KeptSegments keep_segments(const SegmentOp& op, std::uint32_t operand_rows,
                           std::span<const std::uint32_t> kept) {
  std::optional<std::vector<std::uint32_t>> whole;
  if (keeps_members(op.combination)) {
    whole = whole_segments(op.segments, operand_rows, kept);
    VECC_CHECK(whole.has_value(), "rows of half a softmax are kept");
    kept = *whole;
  }
  KeptSegments result;
  const auto count = static_cast<std::uint32_t>(kept.size());
  if (op.segments.is_fixed()) {
    const std::uint32_t members = op.segments.members();
    const std::uint32_t segments = op.segments.count(operand_rows);
    result.segments = op.segments;
    result.members = list_of(count * members, [&](std::uint32_t i) {
      return op.segments.dimension() == 1 ? i / count * segments + kept[i % count]
                                          : kept[i / members] * members + i % members;
    });
    return result;
  }
  std::vector<std::uint32_t> offsets =
      offsets_of(kept.size(), [&](std::size_t i) { return member_count(op.segments, kept[i]); });
  result.members = unset_list<std::uint32_t>(offsets.back());
  ListThreads::for_ranges(kept.size(), [&](std::size_t begin, std::size_t end) {
    std::uint32_t at = offsets[begin];
    for (const std::uint32_t s : kept.subspan(begin, end - begin)) {
      for_each_member(op.segments, operand_rows, s,
                      [&](std::uint32_t row) { result.members[at++] = row; });
    }
  });
  result.segments = Segments::ragged(std::move(offsets));
  return result;
}

bool has_lifts(const LinearOp& linear) {
  return linear.lift_left != Lift() || linear.lift_right != Lift();
}

Index unlifted_rows(const Lift& lift, std::uint32_t operand_rows, const Index& rows) {
  if (lift.kind == Lift::Kind::None) return rows;
  std::vector<std::uint32_t> result(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    result[i] = unlifted_row(lift, operand_rows, rows[i]);
  }
  return Index::compact(std::move(result));
}

}  // namespace vecc
