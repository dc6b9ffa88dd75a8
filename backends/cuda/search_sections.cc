#include "backends/cuda/search_sections.h"

#include <algorithm>
#include <limits>

#include "src/batch/batch_loops.h"

namespace vecc::cuda {

namespace made = vecc_kernel;

SearchWalk::SearchWalk(const SearchSections& sets, std::uint32_t set, std::uint64_t first,
                       std::uint64_t count)
    : source(set) {
  VECC_CHECK(set != kNone, "a set that a search looks at");
  job.source = sets[set].first + first;
  job.count = count;
  job.size = 1;
  job.limit = to_row(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
  job.only = made::kNoNumber;
  job.unless = made::kNoNumber;
  job.target_size = 1;
}

std::uint32_t SearchSections::take(std::uint64_t count) {
  sets_.push_back({numbers_, kNone});
  numbers_ += (count + 63) / 64 * 64;
  return to_row(sets_.size() - 1);
}

std::uint32_t SearchSections::at(std::uint64_t first) {
  const auto [found, is_new] = firsts_.try_emplace(first, to_row(sets_.size()));
  if (is_new) sets_.push_back({first, kNone});
  return found->second;
}

const SearchSection& SearchSections::start_with(std::uint32_t set, std::uint32_t step) {
  std::uint32_t& last = sets_[set].step;
  last = last == kNone ? step : std::max(last, step);
  return sets_[set];
}

void SearchSections::only(SearchWalk& walk, std::uint32_t set) const {
  walk.job.only = sets_[set].first;
  walk.only = set;
}

void SearchSections::unless(SearchWalk& walk, std::uint32_t set, std::uint64_t first) const {
  if (sets_[set].step == kNone) return;
  walk.job.unless = sets_[set].first + first;
  walk.unless = set;
}

void SearchSections::put(const SearchWalk& walk, std::uint32_t set, std::uint64_t first) {
  VECC_CHECK(set != kNone, "a set that a search puts numbers into");
  std::uint32_t after = sets_[walk.source].step;
  if (after == kNone || walk.job.count == 0 || walk.job.limit == 0) return;
  if (walk.only != kNone) {
    if (sets_[walk.only].step == kNone) return;
    after = std::max(after, sets_[walk.only].step);
  }
  if (walk.unless != kNone) after = std::max(after, sets_[walk.unless].step);
  made::SearchJob job = walk.job;
  job.target = sets_[set].first + first;
  add(job, after + 1, set);
}

void SearchSections::fill(std::uint32_t set, std::uint64_t count) {
  made::SearchJob job{};
  job.kind = made::kFill;
  job.source = made::kNoNumber;
  job.limit = to_row(count);
  job.target = sets_[set].first;
  add(job, 1, set);
}

void SearchSections::fill(std::uint32_t set, std::uint64_t count, const SearchWalk& walk) {
  const std::uint32_t after = sets_[walk.source].step;
  if (after == kNone) return;
  made::SearchJob job = walk.job;
  job.kind = made::kFill;
  job.limit = to_row(count);
  job.target = sets_[set].first;
  add(job, after + 1, set);
}

void SearchSections::add(const made::SearchJob& job, std::uint32_t step, std::uint32_t set) {
  jobs_.push_back({job, step});
  std::uint32_t& last = sets_[set].step;
  last = last == kNone ? step : std::max(last, step);
}

// A chunk is words of a walk's source, of a fill's target.
void SearchSections::add_chunks(const made::SearchJob& job, BatchSearch& to) {
  const std::uint64_t first = job.kind == made::kFill ? job.target : job.source;
  const std::uint64_t count = job.kind == made::kFill ? job.limit : job.count;
  const auto number = to_row(to.jobs.size() - 1);
  if (count == 0) return;
  for (std::uint64_t w = first / 64; w <= (first + count - 1) / 64; w += made::kSearchWords) {
    to.chunks.push_back({number, to_row(w)});
  }
}

void SearchSections::finish(BatchSearch& to) {
  std::ranges::stable_sort(jobs_, {}, &Job::step);
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    to.jobs.push_back(jobs_[j].job);
    add_chunks(jobs_[j].job, to);
    const bool is_last = j + 1 == jobs_.size() || jobs_[j + 1].step != jobs_[j].step;
    if (is_last) to.step_ends.push_back(to_row(to.chunks.size()));
  }
  to.numbers = numbers_;
}

}  // namespace vecc::cuda
