#include "backends/cuda/search_sections.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "src/batch/batch_loops.h"

namespace vecc::cuda {

namespace made = vecc_kernel;

namespace {

// What tells walks apart.
auto key_of(const made::SearchJob& job) {
  const auto& [list, divisor, remainder, is_zero] = job.before;
  return std::tuple(job.kind, job.draw, job.source, job.count, job.size, job.limit, list, divisor,
                    remainder, is_zero, job.expand, job.members, job.stride, job.begins,
                    job.readers);
}

}  // namespace

SearchWalk::SearchWalk(const SearchSections& sets, std::uint32_t set, std::uint64_t first,
                       std::uint64_t count)
    : source(set) {
  VECC_CHECK(set != kNone, "a set that a search looks at");
  job.source = sets[set].first + first;
  job.count = count;
  job.size = 1;
  job.limit = to_row(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
  to.only = made::kNoNumber;
  to.unless = made::kNoNumber;
  to.size = 1;
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
  walk.to.only = sets_[set].first;
  walk.only = set;
}

void SearchSections::unless(SearchWalk& walk, std::uint32_t set, std::uint64_t first) const {
  if (sets_[set].step == kNone) return;
  walk.to.unless = sets_[set].first + first;
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
  add(walk, after + 1, set, first);
}

void SearchSections::fill(std::uint32_t set, std::uint64_t count) {
  SearchWalk always(*this, set, 0, count);
  always.job.kind = made::kFill;
  always.job.source = made::kNoNumber;
  add(always, 1, set, 0);
}

void SearchSections::fill(std::uint32_t set, std::uint64_t count, const SearchWalk& walk) {
  const std::uint32_t after = sets_[walk.source].step;
  if (after == kNone) return;
  SearchWalk of = walk;
  of.job.kind = made::kFill;
  of.job.limit = to_row(count);
  add(of, after + 1, set, 0);
}

void SearchSections::add(const SearchWalk& walk, std::uint32_t step, std::uint32_t set,
                         std::uint64_t first) {
  Job& job = jobs_.emplace_back(Job{walk.job, walk.to, step});
  job.to.first = sets_[set].first + first;
  std::uint32_t& last = sets_[set].step;
  last = last == kNone ? step : std::max(last, step);
}

// A chunk is words of a walk's source, of a fill's target.
void SearchSections::add_chunks(const made::SearchJob& job, BatchSearch& to) {
  const std::uint64_t first =
      job.kind == made::kFill ? to.targets[job.first_target].first : job.source;
  const std::uint64_t count = job.kind == made::kFill ? job.limit : job.count;
  const auto number = to_row(to.jobs.size() - 1);
  if (count == 0) return;
  for (std::uint64_t w = first / 64; w <= (first + count - 1) / 64; w += made::kSearchWords) {
    to.chunks.push_back({number, to_row(w)});
  }
}

void SearchSections::finish(BatchSearch& to) {
  std::ranges::stable_sort(jobs_, [](const Job& a, const Job& b) {
    return std::pair(a.step, key_of(a.job)) < std::pair(b.step, key_of(b.job));
  });
  for (std::size_t j = 0; j < jobs_.size();) {
    made::SearchJob& job = to.jobs.emplace_back(jobs_[j].job);
    const std::uint32_t step = jobs_[j].step;
    job.first_target = to_row(to.targets.size());
    do {
      to.targets.push_back(jobs_[j++].to);
    } while (job.kind == made::kWalk && j < jobs_.size() && jobs_[j].step == step &&
             key_of(jobs_[j].job) == key_of(job));
    job.end_target = to_row(to.targets.size());
    add_chunks(job, to);
    const bool is_last = j == jobs_.size() || jobs_[j].step != step;
    if (is_last) to.step_ends.push_back(to_row(to.chunks.size()));
  }
  to.numbers = numbers_;
}

}  // namespace vecc::cuda
