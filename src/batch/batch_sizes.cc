#include "src/batch/batch_sizes.h"

#include <algorithm>

#include "src/batch/batch_binder.h"
#include "src/batch/batch_rows.h"
#include "src/plan/launch_schedules.h"

namespace vecc {
namespace {

std::uint32_t length_of(const std::vector<std::uint32_t>& offsets, std::size_t row) {
  return offsets[row + 1] - offsets[row];
}

RowClass class_of(const BatchLaunch& launch, const BatchRows& rows, const BatchRows::Run& run) {
  RowClass all;
  if (launch.segments != KernelSegments::Ragged) {
    all.add(launch.members, run.rows);
    return all;
  }
  for (std::uint32_t at = 0; at < run.rows; ++at) {
    if (run.offsets != kNone) {  // rows and members have numbers of their own
      all.add(length_of(rows.wide, run.offsets + at));
    } else {
      const bool is_listed = run.order != kNone;
      all.add(length_of(*launch.offsets,
                        is_listed ? rows.entry(run.order + at, launch.is_narrow) : at));
    }
  }
  return all;
}

RowSizes whole_sizes(const Plan& plan, const Launch& launch) {
  RowSizes sizes = row_sizes(plan, launch);
  sizes.classes = {sum_of(sizes.classes)};
  return sizes;
}

RowSizes usual_row(const RowSizes& all) {
  const std::uint64_t rows = std::max(all.rows, 1u);
  RowClass row;
  row.add(static_cast<std::uint32_t>((all.classes.front().members + rows - 1) / rows));
  return {1, all.work / rows, {row}};
}

}  // namespace

BatchSizes batch_sizes(const Plan& plan, const BatchPlan& batches, const Batch& batch,
                       const WeightReach* reach) {
  BatchSizes sizes;
  for (const Launch& launch : plan.launches) {
    const RowSizes all = whole_sizes(plan, launch);
    sizes.launches.push_back(is_empty(batch) ? all : usual_row(all));
  }
  if (is_empty(batch)) {
    sizes.array_bytes = bytes_of(batches);
    return sizes;
  }
  BatchRows rows;
  BatchBinder(batches, reach).bind(batch, rows);
  for (const BatchRows::Run& run : rows.runs) {
    sizes.launches[run.launch] = {
        run.rows, run.work, {class_of(batches.launches[run.launch], rows, run)}};
  }
  sizes.array_bytes = rows.bytes();
  return sizes;
}

}  // namespace vecc
