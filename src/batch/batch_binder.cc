#include "src/batch/batch_binder.h"

#include <algorithm>

#include "src/batch/batch_loops.h"

namespace vecc {

BatchBinder::BatchBinder(const BatchPlan& plan, const WeightReach* reach,
                         const ReachNumbers* numbers)
    : plan_(plan), reach_(reach), writer_(plan, reach == nullptr ? numbers : &reach->numbers()) {
  if (plan.is_compact) {
    spread_.reserve(plan);
    compact_.emplace(plan);
  }
  if (reach_ == nullptr) {
    finder_.emplace(plan);
    return;
  }
  reached_ = reach_->empty_set();
  rows_.reserve(plan);
  share_.assign(plan.launches.size(), kNone);
  for (std::uint32_t l = 0; l < share_.size(); ++l) {
    const std::uint32_t first = reach_->numbers().alike(l);
    if (first == l) continue;
    if (share_[first] == kNone) {
      share_[first] = static_cast<std::uint32_t>(shared_.size());
      shared_.emplace_back().rows.reserve(plan.launches[first]);
    }
    share_[l] = share_[first];
  }
}

std::uint64_t BatchBinder::bytes() const {
  return (finder_ ? finder_->bytes() : reached_.bytes()) + spread_bytes_ +
         (compact_ ? compact_->bytes() : 0);
}

void BatchBinder::bind(const Batch& batch, BatchRows& result) {
  result_ = compact_ ? &spread_ : &result;
  result_->clear();
  writer_.begin();
  reach_ == nullptr ? search(batch) : unite(batch);
  if (!compact_) return;
  spread_bytes_ = std::max(spread_bytes_, spread_.bytes());
  compact_->write(spread_, result);
}

void BatchBinder::set_at_rest(std::uint32_t number, std::uint32_t store, std::uint32_t row) {
  const BatchAccess& access = plan_.launches[number].accesses[store];
  const std::uint64_t unit = plan_.units[access.buffer];
  result_->zeros.push_back({number, access.buffer, begin_of(access, row) * unit, access.size * unit,
                            plan_.rests[access.buffer]});
}

// `runs(group)`: whether its updates do.
template <class Runs>
void BatchBinder::add_unstored(std::uint32_t number, Runs&& runs) {
  for (const BatchUpdate& update : plan_.launches[number].updates) {
    if (update.group == kNone || runs(update.group)) continue;
    result_->unstored.push_back({number, update.access});
  }
}

void BatchBinder::search(const Batch& batch) {
  finder_->find(batch, *this);
  std::ranges::sort(result_->runs, {}, &BatchRows::Run::launch);
  // They came from the last launch on.
  std::ranges::stable_sort(result_->zeros, {}, &BatchRows::Zeros::launch);
  const std::vector<char>& groups = finder_->groups();
  for (const BatchRows::Run& run : result_->runs) {
    add_unstored(run.launch, [&](std::uint32_t group) { return groups[group] != 0; });
  }
}

// What runs of a launch; null: it does not.
LaunchRows* BatchBinder::take(std::uint32_t launch) {
  if (share_[launch] == kNone) return reach_->take(launch, reached_, rows_) ? &rows_ : nullptr;
  Taken& taken = shared_[share_[launch]];
  if (!taken.is_taken) {
    taken.runs = reach_->take(launch, reached_, taken.rows);
    taken.is_taken = true;
  }
  return taken.runs ? &taken.rows : nullptr;
}

void BatchBinder::unite(const Batch& batch) {
  for (Taken& taken : shared_) taken.is_taken = false;
  reach_->insert(batch, reached_);
  for (std::uint32_t l = 0; l < plan_.launches.size(); ++l) {
    reach_->for_each_at_rest(
        l, reached_, [&](std::uint32_t store, std::uint32_t row) { set_at_rest(l, store, row); });
    LaunchRows* const rows = take(l);
    if (rows == nullptr) continue;
    writer_.add(l, *rows, *result_);
    add_unstored(l, [&](std::uint32_t group) { return reach_->runs(group, reached_); });
  }
  reached_.clear();
}

}  // namespace vecc
