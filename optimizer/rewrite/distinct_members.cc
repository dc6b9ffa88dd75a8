#include "optimizer/rewrite/distinct_members.h"

#include <algorithm>
#include <atomic>

#include "optimizer/rewrite/equal_rows.h"
#include "src/program/members.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

// Most lists are short, or have no equal numbers and ascend.
std::uint64_t count_different(std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kShort = 16;
  if (is_ascending(numbers, static_cast<std::uint32_t>(numbers.size()))) return numbers.size();
  if (numbers.size() > kShort) {
    std::ranges::sort(numbers);
    return static_cast<std::uint64_t>(std::unique(numbers.begin(), numbers.end()) -
                                      numbers.begin());
  }
  std::uint64_t different = 0;
  for (auto at = numbers.begin(); at != numbers.end(); ++at) {
    different += std::find(numbers.begin(), at, *at) == at ? 1 : 0;
  }
  return different;
}

}  // namespace

std::uint64_t DistinctMemberFinder::count(ValueId id) {
  const Segments& segments = std::get<SegmentOp>(program_.op(id).attributes).segments;
  const ValueId operand = program_.op(id).operands[0];
  const std::uint32_t rows = program_.op(operand).rows;
  const RowClasses::View classes = classes_.of(operand);
  std::atomic<std::uint64_t> different{0};
  ListThreads::for_ranges(segments.count(rows), [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> members;
    std::uint64_t own = 0;
    for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) {
      members.clear();
      for_each_member(segments, rows, s,
                      [&](std::uint32_t row) { members.push_back(classes[row]); });
      own += count_different(members);
    }
    different += own;
  });
  return different;
}

DistinctMembers DistinctMemberFinder::find(ValueId id) {
  const auto& segment = std::get<SegmentOp>(program_.op(id).attributes);
  const ValueId operand = program_.op(id).operands[0];
  const std::uint32_t rows = program_.op(operand).rows;
  const RowClasses::View classes = classes_.of(operand);
  entry_.resize(classes_.size());
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
