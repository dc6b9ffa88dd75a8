#include "src/batch/row_finder.h"

#include <algorithm>

#include "src/batch/batch_loops.h"

namespace vecc {

namespace {

bool is_made_zero(const BatchAccess& access) {
  return access.is_zero && access.is_made;
}

bool is_pure(const BatchPlan& plan, const BatchLaunch& launch) {
  const auto stores_zeros = [&](const BatchAccess& access) {
    return !access.store || plan.zero_buffers[access.buffer];
  };
  const auto is_of_rows = [](const BatchAccess& access) {
    return !access.is_zero || access.map == RowMap::Direct || access.map == RowMap::List;
  };
  const auto is_stored = [](const BatchSources& sources) { return !sources.stores.empty(); };
  return !launch.sources.empty() && launch.updates.empty() &&
         std::ranges::all_of(launch.sources, is_stored) &&
         std::ranges::all_of(launch.accesses, stores_zeros) &&
         std::ranges::all_of(launch.accesses, is_of_rows);
}

bool has_rows_by_members(const BatchLaunch& launch, bool is_pure) {
  const auto is_of_member = [](const BatchAccess& access) {
    return !access.is_zero || is_by_member(access);
  };
  return is_pure && launch.drops && std::ranges::all_of(launch.accesses, is_of_member);
}

bool is_source(const BatchLaunch& launch, std::ptrdiff_t access) {
  return std::ranges::any_of(launch.sources, [&](const BatchSources& sources) {
    return std::ranges::find(sources.loads, static_cast<std::uint32_t>(access)) !=
           sources.loads.end();
  });
}

// A pure launch whose only load at rest is made, and its source, runs the rows, or members, for
// which that is not 0. One that the batch gives beside it has rows of its own.
bool reads_zeros(const BatchLaunch& launch, bool is_pure) {
  const auto load = std::ranges::find_if(launch.accesses, is_made_zero);
  if (load == launch.accesses.end()) return false;
  if (!is_pure || std::ranges::count_if(launch.accesses, &BatchAccess::is_zero) > 1) return true;
  if (!is_source(launch, load - launch.accesses.begin())) return true;
  return load->space == KernelSpace::Member && !launch.drops;
}

}  // namespace

std::vector<LaunchTraits> launch_traits(const BatchPlan& plan) {
  std::vector<LaunchTraits> traits;
  for (const BatchLaunch& launch : plan.launches) {
    const bool pure = is_pure(plan, launch);
    traits.push_back({pure, has_rows_by_members(launch, pure), reads_zeros(launch, pure)});
  }
  return traits;
}

RowFinder::RowFinder(const BatchPlan& plan) : plan_(plan), traits_(launch_traits(plan)) {
  for (std::size_t b = 0; b < plan.units.size(); ++b) {
    live_.emplace_back(plan.zero_buffers[b] ? plan.unit_counts[b] : 0);
    needed_.emplace_back(plan.made_buffers[b] ? plan.unit_counts[b] : 0);
  }
  std::uint64_t rows = 0;
  std::uint64_t most_members = 0;
  std::uint64_t entries = 0;
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const BatchLaunch& launch = plan.launches[l];
    const std::uint64_t members = launch.drops ? member_count(launch) : 0;
    members_.emplace_back(traits_[l].is_pure ? 0 : members);
    has_live_.emplace_back(launch.accesses.size());
    rows = std::max<std::uint64_t>(rows, launch.rows);
    for (const BatchAccess& access : launch.accesses) {
      entries = std::max<std::uint64_t>(entries, access.rows);
    }
    most_members = std::max(most_members, members);
  }
  row_set_ = RowSet(rows);
  member_set_ = RowSet(most_members);
  found_.reserve(plan);
  entries_.reserve(entries);
  runs_.resize(plan.groups.size());
  touched_.resize(plan.groups.size());
}

std::uint64_t RowFinder::bytes() const {
  std::uint64_t bytes = row_set_.bytes() + member_set_.bytes();
  for (const auto* sets : {&live_, &needed_, &members_}) {
    for (const RowSet& set : *sets) bytes += set.bytes();
  }
  return bytes;
}

void RowFinder::find(const Batch& batch, RowSink& sink) {
  has_live_alone_ = false;
  find_live(batch, sink);
  find_groups(batch);
  need_outputs(batch);
  for (auto l = to_row(plan_.launches.size()); l-- > 0;) find_needed(l, sink);
  for (std::vector<RowSet>* sets : {&live_, &needed_, &members_}) {
    for (RowSet& set : *sets) set.clear();
  }
}

// The rows of row_set_, which is empty then.
void RowFinder::take_row_set(const BatchLaunch& launch) {
  take_rows(launch, row_set_, 0, found_);
  row_set_.clear();
}

// A parameter that no sample reaches stays, as it does where the batch is a Program of its own.
void RowFinder::find_groups(const Batch& batch) {
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

}  // namespace vecc
