#include "optimizer/rewrite/distinct_members.h"

#include "src/program/members.h"

namespace vecc::opt {

DistinctMembers DistinctMemberFinder::find(ValueId id) {
  const auto& segment = std::get<SegmentOp>(program_.op(id).attributes);
  const ValueId operand = program_.op(id).operands[0];
  const std::uint32_t rows = program_.op(operand).rows;
  const RowClasses::View classes = classes_.of(operand);
  DistinctMembers result;
  for (std::uint32_t s = 0; s < segment.segments.count(rows); ++s) {
    const std::size_t begin = result.rows.size();
    for_each_member(segment.segments, rows, s, [&](std::uint32_t row) {
      std::uint32_t& entry = entry_[classes[row]];
      if (entry > begin && entry <= result.rows.size() &&
          classes[result.rows[entry - 1]] == classes[row]) {
        ++result.counts[entry - 1];
        return;
      }
      result.rows.push_back(row);
      result.counts.push_back(1);
      entry = static_cast<std::uint32_t>(result.rows.size());
    });
    result.lengths.push_back(static_cast<std::uint32_t>(result.rows.size() - begin));
  }
  return result;
}

}  // namespace vecc::opt
