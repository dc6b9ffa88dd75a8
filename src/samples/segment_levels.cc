#include "src/samples/segment_levels.h"

#include <algorithm>

#include "src/graph/member_counts.h"
#include "src/program/members.h"
#include "src/samples/softmax_factor.h"

namespace vecc {

SegmentLevels find_segment_levels(const Program& program) {
  const auto count = static_cast<ValueId>(program.ops().size());
  SegmentLevels found{std::vector<std::uint32_t>(count, 0),
                      std::vector<std::optional<ValueId>>(count)};
  std::vector<bool> is_read(count, false);  // by an output, or by what it depends on
  std::vector<bool> has_reader(count, false);
  std::vector<std::uint32_t> passed(count, 0);  // the most that readers have
  for (ValueId id = count; id-- > 0;) {
    const Op& op = program.op(id);
    if (op.kind() == OpKind::Output) is_read[id] = true;
    if (!is_read[id]) continue;
    if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
      if (!keeps_members(segment->combination)) {
        found.softmaxes[id] = find_softmax_factor(program, id);
        if (found.softmaxes[id]) has_reader[*found.softmaxes[id]] = true;
      }
      found.levels[id] = passed[id] + (has_reader[id] ? 0 : 1);
      if (graph::counts_of(segment->combination)) passed[id] = found.levels[id];
    }
    for (const ValueId operand : op.operands) {
      is_read[operand] = true;
      passed[operand] = std::max(passed[operand], passed[id]);
    }
  }
  return found;
}

}  // namespace vecc
