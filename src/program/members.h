// Which rows an op reads: members of segments, rows under lifts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// Calls `visit(row)` for every member of segment `s` in order; `rows` is the operand's.
template <class Visit>
void for_each_member(const Segments& segments, std::uint32_t rows, std::uint32_t s, Visit&& visit) {
  if (!segments.is_fixed()) {
    const auto offsets = segments.offsets();
    for (std::uint32_t row = offsets[s]; row < offsets[s + std::size_t{1}]; ++row) visit(row);
    return;
  }
  const std::uint32_t count = segments.count(rows);
  for (std::uint32_t k = 0; k < segments.members(); ++k) {
    visit(segments.dimension() == 2 ? s * segments.members() + k : k * count + s);
  }
}

/// The number of members of segment `s`.
[[nodiscard]] inline std::uint32_t member_count(const Segments& segments, std::uint32_t s) {
  if (segments.is_fixed()) return segments.members();
  const auto offsets = segments.offsets();
  return offsets[s + std::size_t{1}] - offsets[s];
}

/// The segment that row `row` of `rows` rows is a member of.
[[nodiscard]] std::uint32_t segment_of(const Segments& segments, std::uint32_t rows,
                                       std::uint32_t row);

/// The same of each of `rows` rows.
[[nodiscard]] std::vector<std::uint32_t> owners_of(const Segments& segments, std::uint32_t rows);

/// Whether the result has one row a member instead of one a segment (softmax, sparsemax).
[[nodiscard]] bool keeps_members(Combination combination);

/// Segments of these lengths: fixed over dimension 2 if all are equal (and not zero), else ragged.
[[nodiscard]] Segments segments_of_lengths(std::span<const std::uint32_t> lengths);

/// The segments whose members `kept` lists, one after another, each whole and as the segments of
/// `rows` rows stand (over dimension 1: member k of all of them, then member k + 1); none if it
/// lists other rows. Of segments without members there is nothing to list.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> whole_segments(
    const Segments& segments, std::uint32_t rows, std::span<const std::uint32_t> kept);

/// Some segments of a `segment` op, alone and in order.
struct KeptSegments {
  Segments segments;
  std::vector<std::uint32_t> members;  ///< rows of the operand
};
/// `kept`: rows of the op's result; for softmax and sparsemax those of whole segments, ascending.
/// Fixed segments stay fixed, in their dimension.
[[nodiscard]] KeptSegments keep_segments(const SegmentOp& op, std::uint32_t operand_rows,
                                         std::span<const std::uint32_t> kept);

/// Whether an operand of the linear is repeated without a copy.
[[nodiscard]] bool has_lifts(const LinearOp& linear);
/// The operand's row that stands at row `i` after the lift.
[[nodiscard]] inline std::uint32_t unlifted_row(const Lift& lift, std::uint32_t operand_rows,
                                                std::uint32_t i) {
  switch (lift.kind) {
    case Lift::Kind::None: return i;
    case Lift::Kind::Repeat: return i % operand_rows;
    case Lift::Kind::Interleave: return i / lift.times;
  }
  return i;
}
/// The same for a list of rows.
[[nodiscard]] Index unlifted_rows(const Lift& lift, std::uint32_t operand_rows, const Index& rows);

}  // namespace vecc
