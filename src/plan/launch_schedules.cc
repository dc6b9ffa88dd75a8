#include "src/plan/launch_schedules.h"

#include <span>
#include <vector>

#include "src/kernel/schedule/schedule_kernel.h"
#include "src/plan/row_order.h"
#include "src/support/list_threads.h"
#include "vecc/error.h"

namespace vecc {
namespace {

// All rows in one class, which threads make together.
RowClass class_of_all(std::span<const std::uint32_t> offsets, std::uint32_t rows) {
  std::vector<RowClass> ranges(ListThreads::ranges_of(rows));
  ListThreads::for_numbered_ranges(rows,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     RowClass some;
                                     for (; begin < end; ++begin) {
                                       some.add(offsets[begin + 1] - offsets[begin]);
                                     }
                                     ranges[range] = some;
                                   });
  return sum_of(ranges);
}

// In the launch's order; one if that has not the long rows first.
std::vector<RowClass> classes_of(const Plan& plan, const Launch& launch) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  std::vector<RowClass> classes(1);
  if (kernel.segments != KernelSegments::Ragged) {
    classes[0].add(kernel.members > 0 ? kernel.members : launch.members, launch.rows);
    return classes;
  }
  const std::vector<std::uint32_t>& offsets = *plan.arrays[launch.offsets];
  const std::vector<std::uint32_t>* order =
      launch.order == kNone ? nullptr : plan.arrays[launch.order].get();
  bool is_falling = order != nullptr && launch.tile_types.empty();
  if (!is_falling) return {class_of_all(offsets, launch.rows)};
  std::uint32_t last = ~0u;
  for (std::uint32_t at = 0; at < launch.rows; ++at) {
    const std::uint32_t row = (*order)[at];
    const std::uint32_t length = offsets[row + 1] - offsets[row];
    const std::uint32_t number = length_class(length);
    if (is_falling && at > 0 && number != last) classes.emplace_back();
    is_falling = is_falling && number <= last;
    last = number;
    classes.back().add(length);
  }
  if (!is_falling) classes = {sum_of(classes)};
  return classes;
}

}  // namespace

RowSizes row_sizes(const Plan& plan, const Launch& launch) {
  return {launch.rows, launch.work, classes_of(plan, launch)};
}

LaunchSchedule LaunchSchedules::of(const Launch& launch) {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  const auto number = static_cast<std::size_t>(&launch - plan_.launches.data());
  VECC_CHECK(typical_.empty() || number < typical_.size(), "a launch of another Plan");
  const RowSizes sizes = typical_.empty() ? row_sizes(plan_, launch) : typical_[number];
  RowLoops rows = choose_loops(kernel, sizes, plan_.target, fewest_threads_);
  std::shared_ptr<const KernelSchedule>& schedule = schedules_[{launch.kernel, rows.loops}];
  if (!schedule) {
    schedule =
        std::make_shared<const KernelSchedule>(schedule_kernel(kernel, rows.loops, plan_.target));
  }
  return {schedule, std::move(rows.ends), rows.cycles};
}

}  // namespace vecc
