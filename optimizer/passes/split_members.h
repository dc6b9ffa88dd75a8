// The members of segments over a concat, apart by the operand that they come from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/rewrite/concat_parts.h"
#include "vecc/program.h"

namespace vecc::opt {

/// A segment op over a concat, read through a gather or not.
struct ConcatSegment {
  ValueId segment = 0;
  ValueId concat = 0;
  const Index* gather = nullptr;  ///< rows of the concat; null: all rows in order
};

/// Members of all segments that come from one operand.
struct SourceMembers {
  std::size_t operand = 0;             ///< of the concat
  std::vector<std::uint32_t> rows;     ///< of the operand: segment after segment, members in order
  std::vector<std::uint32_t> lengths;  ///< by segment: how many of `rows`
};

/// The members by operand, operands in the order in which they first occur; none if there is only
/// one, or more than `most`, or if `ordered` and some segment lacks one of them or has members of
/// one after those of a later one. Linear in the members.
[[nodiscard]] std::optional<std::vector<SourceMembers>> members_by_source(const Program& program,
                                                                          const ConcatSegment& read,
                                                                          ConcatParts& parts,
                                                                          std::size_t most,
                                                                          bool ordered);

/// A part of every segment, of one source, and how to reduce it.
struct SegmentPiece {
  ValueId source = 0;
  Index rows;  ///< of the source
  /// None: one member a segment, which needs no reduction.
  std::optional<Segments> segments;
  std::uint32_t segment_count = 0;
};

/// The piece with these members. If all segments have as many, it is fixed, over the dimension in
/// which it can be read as a view, else over `dimension`. With `may_sort`, members of a segment are
/// put in order of their rows where this makes it a view.
[[nodiscard]] SegmentPiece make_piece(const Program& program, ValueId source, SourceMembers members,
                                      std::uint32_t dimension, bool may_sort);

}  // namespace vecc::opt
