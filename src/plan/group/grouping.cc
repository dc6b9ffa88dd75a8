#include "src/plan/group/grouping.h"

#include <utility>

namespace vecc {
namespace {

constexpr std::size_t kOpenGroups = 256;

}  // namespace

GroupIndex KernelGroups::add(DType dtype, std::uint32_t rows, std::uint32_t stage,
                             std::uint32_t level) {
  groups_.emplace_back(dtype, rows, stage).level = level;
  return static_cast<GroupIndex>(size() - 1);
}

void KernelGroups::note_op(GroupIndex g, ValueId op) {
  KernelGroup& group = (*this)[g];
  group.note_op(op);
  if (std::exchange(group.is_recent, true)) return;
  open_.push_back(&group);
  if (open_.size() <= kOpenGroups) return;
  open_.front()->is_recent = false;
  open_.front()->seal(kernels_);
  open_.pop_front();
}

void KernelGroups::release(GroupIndex g) {
  (*this)[g] = KernelGroup();
  for (; !groups_.empty() && groups_.front().is_empty(); ++first_) groups_.pop_front();
}

std::uint32_t Grouping::level_of(ValueId value) const {
  const ValueState& state = values[value];
  return state.group != kNone ? groups[state.group].level : state.level;
}

void Grouping::freeze(ValueId value) {
  for (; value != kNone; value = values[value].alias) {
    if (values[value].group != kNone) groups[values[value].group].frozen = true;
  }
}

}  // namespace vecc
