#include "src/samples/segment_levels.h"

#include <algorithm>

#include "src/program/members.h"
#include "src/samples/softmax_factor.h"

namespace vecc {
namespace {

// Whether aggregations by it are counted where they are on a way.
bool is_counted(Combination combination) {
  switch (combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::Softmax:
    case Combination::Sparsemax: return true;
    case Combination::Count:
    case Combination::Concat:
    case Combination::Product:
    case Combination::ElProduct:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: return false;
  }
  return false;
}

}  // namespace

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
      if (is_counted(segment->combination)) passed[id] = found.levels[id];
    }
    for (const ValueId operand : op.operands) {
      is_read[operand] = true;
      passed[operand] = std::max(passed[operand], passed[id]);
    }
  }
  return found;
}

}  // namespace vecc
