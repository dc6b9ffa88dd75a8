#include "src/batch/batch_sizes.h"

#include <algorithm>

#include "src/batch/batch_binder.h"
#include "src/batch/batch_rows.h"

namespace vecc {
namespace {

std::uint32_t length_of(const std::vector<std::uint32_t>& offsets, std::size_t row) {
  return offsets[row + 1] - offsets[row];
}

// Of all rows.
RowClass whole_class(const BatchLaunch& launch) {
  RowClass all;
  if (launch.segments != KernelSegments::Ragged) {
    all.add(launch.members, launch.rows);
  } else {
    for (std::uint32_t row = 0; row < launch.rows; ++row) all.add(length_of(*launch.offsets, row));
  }
  return all;
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

RowSizes whole_sizes(const BatchLaunch& launch) {
  return {launch.rows, launch.work, {whole_class(launch)}};
}

RowSizes usual_row(const BatchLaunch& launch) {
  const std::uint64_t rows = std::max(launch.rows, 1u);
  RowClass row;
  row.add(static_cast<std::uint32_t>((whole_class(launch).members + rows - 1) / rows));
  return {1, launch.work / rows, {row}};
}

}  // namespace

std::vector<RowSizes> batch_sizes(const BatchPlan& plan, const Batch& batch) {
  std::vector<RowSizes> sizes;
  for (const BatchLaunch& launch : plan.launches) {
    sizes.push_back(is_empty(batch) ? whole_sizes(launch) : usual_row(launch));
  }
  if (is_empty(batch)) return sizes;
  BatchRows rows;
  BatchBinder(plan).bind(batch, rows);
  for (const BatchRows::Run& run : rows.runs) {
    sizes[run.launch] = {run.rows, run.work, {class_of(plan.launches[run.launch], rows, run)}};
  }
  return sizes;
}

}  // namespace vecc
