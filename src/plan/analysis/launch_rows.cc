#include "src/plan/analysis/launch_rows.h"

namespace vecc {
namespace {

// The element behind the last one that an access may reach.
std::uint64_t end_of(const Plan& plan, const Kernel& kernel, const Launch& launch, std::size_t a) {
  const KernelAccess& access = kernel.accesses[a];
  const std::uint64_t rows = access.map == RowMap::Direct
                                 ? counted_rows(plan, kernel, launch, access.space)
                                 : launch.accesses[a].rows;
  return launch.accesses[a].first + rows * access.shape.size();
}

}  // namespace

std::uint64_t counted_rows(const Plan& plan, const Kernel& kernel, const Launch& launch,
                           KernelSpace space) {
  if (space == KernelSpace::Row) return launch.rows;
  if (kernel.segments == KernelSegments::Ragged) return plan.arrays[launch.offsets]->back();
  return std::uint64_t{launch.rows} * launch.members;
}

bool may_overlap(const Plan& plan, const Kernel& kernel, const Launch& launch, std::size_t a,
                 std::size_t b) {
  const AccessBinding& left = launch.accesses[a];
  const AccessBinding& right = launch.accesses[b];
  const PlanBuffer& of_left = plan.buffers[left.buffer];
  const PlanBuffer& of_right = plan.buffers[right.buffer];
  const bool same_parameter = of_left.kind == PlanBuffer::Kind::Parameter &&
                              of_right.kind == PlanBuffer::Kind::Parameter &&
                              of_left.source == of_right.source;
  if (left.buffer != right.buffer && !same_parameter) return false;
  return left.first < end_of(plan, kernel, launch, b) &&
         right.first < end_of(plan, kernel, launch, a);
}

bool reach_same_rows(const Kernel& kernel, const Launch& launch, std::size_t a, std::size_t b) {
  const KernelAccess& left = kernel.accesses[a];
  const KernelAccess& right = kernel.accesses[b];
  return left.space == right.space && left.map == right.map &&
         (left.map == RowMap::Direct || left.map == RowMap::List) &&
         left.shape.size() == right.shape.size() &&
         launch.accesses[a].first == launch.accesses[b].first &&
         launch.accesses[a].list == launch.accesses[b].list;
}

}  // namespace vecc
