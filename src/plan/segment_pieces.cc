#include "src/plan/segment_pieces.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace vecc {
namespace {

// Strided members lie apart: a piece of them is no segment. If there is one segment they do not.
bool has_long(const Segments& segments, std::uint32_t rows, std::uint32_t longest) {
  if (segments.is_fixed() && segments.dimension() == 1 && rows != 1) return false;
  for (std::uint32_t s = 0; s < (segments.is_fixed() ? std::min(rows, 1u) : rows); ++s) {
    if (members_in(segments, s) > longest) return true;
  }
  return false;
}

}  // namespace

std::uint32_t members_in(const Segments& segments, std::uint32_t segment) {
  if (segments.is_fixed()) return segments.members();
  return segments.offsets()[segment + 1] - segments.offsets()[segment];
}

std::optional<SegmentPieces> cut_segments(const Segments& segments, std::uint32_t rows,
                                          std::uint32_t longest, bool first_alone) {
  if (!has_long(segments, rows, longest)) return std::nullopt;
  std::vector<std::uint32_t> members{0};
  std::vector<std::uint32_t> pieces{0};
  std::vector<std::uint32_t> segment_of;
  for (std::uint32_t s = 0; s < rows; ++s) {
    const std::uint32_t end = members.back() + members_in(segments, s);
    if (first_alone && members.back() < end) members.push_back(members.back() + 1);
    while (members.back() < end) members.push_back(std::min(members.back() + longest, end));
    pieces.push_back(static_cast<std::uint32_t>(members.size() - 1));
    segment_of.resize(pieces.back(), s);
  }
  const std::uint32_t count = pieces.back();
  return SegmentPieces{Segments::ragged(std::move(members)), Segments::ragged(std::move(pieces)),
                       Index::compact(std::move(segment_of)), count, rows};
}

}  // namespace vecc
