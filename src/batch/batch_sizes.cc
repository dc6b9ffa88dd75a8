#include "src/batch/batch_sizes.h"

#include <algorithm>
#include <map>

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

namespace {

// What cuts an op's segments into pieces: the launch that reads its members.
struct OpPieces {
  std::uint32_t launches = 0;
  RowClass all;
  RowClass batch;
};

// Few pieces take no time to store and to add up, and few members say nothing of how others lie.
// Longer pieces would have no more than a few times the members of others: those of samples that
// lie side by side would be in one.
bool are_many_and_even(const OpPieces& pieces) {
  constexpr std::uint32_t kMany = 64;
  constexpr std::uint64_t kFewMembers = 8;
  const std::uint64_t usual = pieces.batch.members / std::max(pieces.all.rows, 1u);
  return pieces.all.rows >= kMany && pieces.batch.members >= kMany &&
         pieces.batch.longest <= 2 * usual + kFewMembers;
}

}  // namespace

std::vector<PlanOptions::UsualMembers> usual_members(const Plan& plan, const BatchSizes& batch) {
  constexpr std::uint64_t kSmallPart = 4;
  std::map<ValueId, OpPieces> ops;
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    if (plan.kernels[launch.kernel].segments == KernelSegments::None) continue;
    const RowClass all = whole_sizes(plan, launch).classes.front();
    for (const ValueId op : launch.ops) {
      OpPieces& pieces = ops[op];
      ++pieces.launches;
      if (all.members <= pieces.all.members) continue;  // its pieces, not its members
      pieces.all = all;
      pieces.batch = batch.launches[l].classes.front();
    }
  }
  std::vector<PlanOptions::UsualMembers> found;
  for (const auto& [op, pieces] : ops) {
    const std::uint64_t all = pieces.all.members;
    const std::uint64_t usual = pieces.batch.members;
    if (pieces.launches < 2 || usual * kSmallPart > all || !are_many_and_even(pieces)) continue;
    found.push_back({op, all, usual});
  }
  return found;
}

}  // namespace vecc
