#include "src/batch/batch_binder.h"

#include <algorithm>

#include "src/batch/batch_loops.h"

namespace vecc {

BatchBinder::BatchBinder(const BatchPlan& plan) : plan_(plan) {
  for (std::size_t b = 0; b < plan.units.size(); ++b) {
    live_.emplace_back(plan.zero_buffers[b] ? plan.unit_counts[b] : 0);
    needed_.emplace_back(plan.made_buffers[b] ? plan.unit_counts[b] : 0);
  }
  std::uint64_t rows = 0;
  std::uint64_t members = 0;
  std::size_t accesses = 0;
  for (const BatchLaunch& launch : plan.launches) {
    rows = std::max<std::uint64_t>(rows, launch.rows);
    accesses = std::max(accesses, launch.accesses.size());
    members_.emplace_back(launch.drops ? member_count(launch) : 0);
    if (launch.drops) members = std::max(members, member_count(launch));
    has_live_.emplace_back(launch.accesses.size());
  }
  row_set_ = RowSet(rows);
  rows_.reserve(rows);
  offsets_.reserve(rows + 1);
  kept_.reserve(members);
  entries_.reserve(std::max(rows, members));
  runs_.resize(plan.groups.size());
  touched_.resize(plan.groups.size());
}

std::uint64_t BatchBinder::bytes() const {
  std::uint64_t bytes = row_set_.bytes();
  for (const auto* sets : {&live_, &needed_, &members_}) {
    for (const RowSet& set : *sets) bytes += set.bytes();
  }
  return bytes;
}

void BatchBinder::bind(const Batch& batch, BatchRows& result) {
  result.clear();
  find_live(batch);
  find_groups(batch);
  for (auto l = to_row(plan_.launches.size()); l-- > 0;) find_needed(l, result);
  std::ranges::reverse(result.runs);
  std::ranges::reverse(result.zeros);
  for (std::vector<RowSet>* sets : {&live_, &needed_, &members_}) {
    for (RowSet& set : *sets) set.clear();
  }
}

// A parameter that no sample reaches stays, as it does where the batch is a Program of its own.
void BatchBinder::find_groups(const Batch& batch) {
  std::ranges::fill(runs_, 0);
  for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
    for (const BatchUpdate& update : plan_.launches[l].updates) {
      if (update.group == kNone) continue;
      for (const std::uint32_t source : update.sources) {
        if (has_live_[l][source] != 0) runs_[update.group] = 1;
      }
    }
  }
  if (!plan_.lists_touched) return;
  std::ranges::fill(touched_, nullptr);
  for (const auto& [parameter, rows] : batch.touched) {
    const auto at = std::ranges::find(plan_.groups, parameter);
    if (at != plan_.groups.end() && !rows.empty()) touched_[at - plan_.groups.begin()] = &rows;
  }
  for (std::size_t g = 0; g < runs_.size(); ++g) {
    if (touched_[g] == nullptr) runs_[g] = 0;
  }
}

bool BatchBinder::runs(const BatchUpdate& update) const {
  return update.group == kNone || runs_[update.group] != 0;
}

}  // namespace vecc
