#include "backends/cuda/search_sections.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "backends/cuda/search_classes.h"
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

// What a job looks at: words of a walk's source, of a fill's target.
struct Words {
  std::uint64_t begin;
  std::uint64_t end;
};
Words words_of(const made::SearchJob& job, const BatchSearch& of) {
  const std::uint64_t first =
      job.kind == made::kFill ? of.targets[job.first_target].first : job.source;
  const std::uint64_t count = job.kind == made::kFill ? job.limit : job.count;
  return count == 0 ? Words{0, 0} : Words{first / 64, (first + count - 1) / 64 + 1};
}

// Of the jobs from this one on, which are a step: some thousand chunks, so that all
// multiprocessors have some where there is little to look at. A warp draws one row's members after
// another's: these chunks are small.
void add_chunks(std::size_t first_job, BatchSearch& to) {
  constexpr std::uint64_t kChunks = 2048;
  constexpr std::uint64_t kLeastWords = 4;
  constexpr std::uint64_t kDrawWords = 8;
  std::uint64_t all = 0;
  for (std::size_t j = first_job; j < to.jobs.size(); ++j) {
    const Words words = words_of(to.jobs[j], to);
    all += words.end - words.begin;
  }
  const std::uint64_t usual =
      std::clamp(std::bit_ceil(all / kChunks), kLeastWords, std::uint64_t{made::kSearchWords});
  for (std::size_t j = first_job; j < to.jobs.size(); ++j) {
    const Words words = words_of(to.jobs[j], to);
    const std::uint64_t most = to.jobs[j].kind == made::kDraw ? std::min(usual, kDrawWords) : usual;
    for (std::uint64_t w = words.begin; w < words.end; w += most) {
      to.chunks.push_back({to_row(j), to_row(w), to_row(std::min(most, words.end - w))});
    }
  }
  to.step_ends.push_back(to_row(to.chunks.size()));
}

bool is_identity(const made::NumberMap& map) {
  return map.list == nullptr && map.divisor <= 1 && map.remainder == 0 && map.is_zero == 0;
}

}  // namespace

struct SearchSections::PlacedJob {
  made::SearchJob job;
  made::SearchTarget to;
  std::uint32_t step;
};

// Jobs of one step that walk alike are one.
void SearchSections::add_jobs(std::vector<PlacedJob> jobs, BatchSearch& to) {
  std::ranges::stable_sort(jobs, [](const PlacedJob& a, const PlacedJob& b) {
    return std::pair(a.step, key_of(a.job)) < std::pair(b.step, key_of(b.job));
  });
  std::size_t first_of_step = 0;
  for (std::size_t j = 0; j < jobs.size();) {
    made::SearchJob& job = to.jobs.emplace_back(jobs[j].job);
    const std::uint32_t step = jobs[j].step;
    job.first_target = to_row(to.targets.size());
    do {
      to.targets.push_back(jobs[j++].to);
    } while (job.kind == made::kWalk && j < jobs.size() && jobs[j].step == step &&
             key_of(jobs[j].job) == key_of(job));
    job.end_target = to_row(to.targets.size());
    const auto rest = std::stable_partition(
        to.targets.begin() + job.first_target, to.targets.end(), [&](const made::SearchTarget& of) {
          return is_copy(job, of) && of.first % 64 == job.source % 64;
        });
    job.end_copies = to_row(rest - to.targets.begin());
    if (j < jobs.size() && jobs[j].step == step) continue;
    add_chunks(first_of_step, to);
    first_of_step = to.jobs.size();
  }
}

bool is_copy(const made::SearchJob& job, const made::SearchTarget& to) {
  return job.kind == made::kWalk && job.expand == made::kItself && job.size == 1 &&
         job.limit >= job.count && is_identity(job.before) && is_identity(to.after) &&
         to.size == 1 && to.only == made::kNoNumber && to.unless == made::kNoNumber;
}

SearchWalk::SearchWalk(std::uint32_t set, std::uint64_t first, std::uint64_t count) : source(set) {
  job.source = first;
  job.count = count;
  job.size = 1;
  job.limit = to_row(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
  to.only = made::kNoNumber;
  to.unless = made::kNoNumber;
  to.size = 1;
}

std::uint32_t SearchSections::add_section(const SearchSection& section) {
  sets_.push_back(section);
  return to_row(sets_.size() - 1);
}

std::uint32_t SearchSections::take(std::uint64_t count) {
  return add_section({.count = count, .first = SearchSection::kAnywhere});
}

std::uint32_t SearchSections::at(std::uint64_t first, std::uint64_t count) {
  return add_section({.count = count, .first = first});
}

std::uint32_t SearchSections::own_at(std::uint64_t first, std::uint64_t count) {
  return add_section({.count = count, .first = first, .is_own = true});
}

void SearchSections::start(std::uint32_t set) {
  VECC_CHECK(set != kNone, "a set that a search begins with");
  sets_[set].starts = true;
  sets_[set].has_any = true;
}

void SearchSections::start_weights(std::uint32_t set, std::uint32_t weights, std::uint32_t unit) {
  start(set);
  weights_.push_back({set, weights, unit, false});
}

void SearchSections::start_drawn_weights(std::uint32_t set, std::uint32_t weights,
                                         std::uint32_t unit) {
  start(set);
  weights_.push_back({set, weights, unit, true});
}

void SearchSections::start_sample(std::uint32_t set, std::uint32_t row) {
  start(set);
  samples_.push_back({set, row});
}

void SearchSections::unless(SearchWalk& walk, std::uint32_t set, std::uint64_t first) const {
  if (!sets_[set].has_any) return;
  walk.to.unless = first;
  walk.unless = set;
}

void SearchSections::put(const SearchWalk& walk, std::uint32_t set, std::uint64_t first) {
  VECC_CHECK(walk.source != kNone, "a set that a search looks at");
  if (!sets_[walk.source].has_any || walk.job.count == 0 || walk.job.limit == 0) return;
  if (walk.only != kNone && !sets_[walk.only].has_any) return;
  add(walk, set, first);
}

void SearchSections::fill(std::uint32_t set, std::uint64_t count) {
  SearchWalk always(kNone, made::kNoNumber, count);
  always.job.kind = made::kFill;
  add(always, set, 0);
}

void SearchSections::fill(std::uint32_t set, std::uint64_t count, const SearchWalk& walk) {
  if (!sets_[walk.source].has_any) return;
  SearchWalk of = walk;
  of.job.kind = made::kFill;
  of.job.limit = to_row(count);
  add(of, set, 0);
}

void SearchSections::draw(SearchWalk walk, const made::DrawJob& job, std::uint32_t set) {
  walk.job.kind = made::kDraw;
  walk.job.draw = to_row(draws_.size());
  draws_.push_back(job);
  put(walk, set);
}

void SearchSections::add(const SearchWalk& walk, std::uint32_t set, std::uint64_t first) {
  VECC_CHECK(set != kNone, "a set that a search puts numbers into");
  SearchPut& put = puts_.emplace_back(SearchPut{walk, set});
  put.walk.to.first = first;
  sets_[set].has_any = true;
}

std::vector<std::uint64_t> SearchSections::begins(std::span<const NumberSection> sections) const {
  std::uint64_t numbers = 0;
  const std::vector<std::uint64_t> places = this->places(find_classes(sets_, puts_).same, numbers);
  std::map<std::uint64_t, std::uint64_t> moved;  // from where at() took it
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    if (sets_[s].count > 0) moved.try_emplace(sets_[s].first, places[s]);
  }
  std::map<std::uint64_t, std::uint64_t> firsts;  // by place
  std::vector<std::uint64_t> begins;
  std::uint64_t end = 0;
  for (const auto& [first, count] : sections) {
    begins.push_back(end);
    if (count == 0) continue;
    const auto place = moved.find(first);
    const std::uint64_t of = place == moved.end() ? first : place->second;
    const auto [found, is_new] = firsts.try_emplace(of, end);
    begins.back() = found->second;
    if (is_new) end += (count + 63) / 64 * 64;
  }
  begins.push_back(end);
  return begins;
}

// By set, where it begins. Those that are the same lie where one of them has to.
std::vector<std::uint64_t> SearchSections::places(const std::vector<std::uint32_t>& same,
                                                  std::uint64_t& numbers) const {
  std::vector<std::uint64_t> places(sets_.size(), SearchSection::kAnywhere);
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    std::uint64_t& place = places[same[s]];
    if (place == SearchSection::kAnywhere) place = sets_[s].first;
  }
  numbers = count_;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    std::uint64_t& place = places[same[s]];
    if (place == SearchSection::kAnywhere) {
      place = numbers;
      numbers += (sets_[s].count + 63) / 64 * 64;
    }
    places[s] = place;
  }
  return places;
}

// All that is left, each after what it looks at.
std::vector<SearchSections::PlacedJob> SearchSections::in_steps(
    const SearchClasses& classes, const std::vector<std::uint64_t>& places, BatchSearch& to) const {
  std::vector<std::uint32_t> steps(sets_.size(), 0);
  std::vector<PlacedJob> jobs;
  const auto is_draw = [&](std::uint32_t p) { return puts_[p].walk.job.kind == made::kDraw; };
  const auto draws = std::ranges::find_if(classes.puts.rbegin(), classes.puts.rend(), is_draw);
  const auto last_draw = classes.puts.rend() - draws;
  std::uint32_t drawn = 0;
  const auto start_drawn = [&] {
    for (const Start& start : weights_) {
      if (start.is_drawn) steps[classes.same[start.set]] = drawn;
    }
  };
  for (const std::uint32_t p : classes.puts) {
    if (std::ssize(jobs) == last_draw) start_drawn();
    const auto& [walk, set] = puts_[p];
    PlacedJob& placed = jobs.emplace_back(PlacedJob{walk.job, walk.to, 0});
    const auto place = [&](std::uint32_t read, unsigned long long& number) {
      if (read == kNone) return;
      number += places[read];
      placed.step = std::max(placed.step, steps[classes.same[read]]);
    };
    place(walk.source, placed.job.source);
    if (walk.only != kNone) placed.to.only = 0;
    place(walk.only, placed.to.only);
    place(walk.unless, placed.to.unless);
    placed.to.first += places[set];
    ++placed.step;
    steps[set] = std::max(steps[set], placed.step);
    if (!is_draw(p)) continue;
    to.draws[walk.job.draw].drawn = places[set];
    drawn = std::max(drawn, placed.step);
  }
  return jobs;
}

void SearchSections::finish(BatchSearch& to) const {
  const SearchClasses classes = find_classes(sets_, puts_);
  const std::vector<std::uint64_t> places = this->places(classes.same, to.numbers);
  for (const auto& [set, weights, unit, is_drawn] : weights_) {
    to.weights.push_back({weights, unit, places[set]});
  }
  for (const auto& [set, row] : samples_) to.sample_numbers.push_back(places[set] + row);
  to.draws = draws_;
  add_jobs(in_steps(classes, places, to), to);
}

}  // namespace vecc::cuda
