#include "backends/cuda/batch_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "backends/cuda/draw_search.h"
#include "backends/cuda/search_sections.h"
#include "src/batch/batch_loops.h"

namespace vecc::cuda {
namespace {

namespace made = vecc_kernel;

class SearchDescriber {
 public:
  // `numbers`: where sets of launches lie.
  SearchDescriber(const BatchPlan& plan, const ReachNumbers& numbers, TableMemory& memory)
      : plan_(plan), numbers_(numbers), memory_(memory), sets_(numbers.count()) {
    for (std::size_t b = 0; b < plan.units.size(); ++b) {
      live_.push_back(plan.zero_buffers[b] ? sets_.take(plan.unit_counts[b]) : kNone);
      needed_.push_back(plan.made_buffers[b] ? sets_.take(plan.unit_counts[b]) : kNone);
    }
    groups_ = sets_.own_at(numbers.groups(), plan.groups.size());
    for (std::uint32_t l = 0; l < plan.launches.size(); ++l) {
      const bool by_members = numbers.traits(l).has_rows_by_members;
      const BatchLaunch& launch = plan.launches[l];
      const std::uint64_t members = launch.drops ? member_count(launch) : 0;
      rows_.push_back(by_members ? kNone : sets_.at(numbers.places(l).rows, launch.rows));
      members_.push_back(launch.drops ? sets_.at(numbers.places(l).members, members) : kNone);
      live_members_.push_back(members_.back());
      if (launch.drops && !numbers.traits(l).is_pure) live_members_.back() = sets_.take(members);
    }
  }

  const SearchSections& describe(const SampledMembers* draws) {
    if (draws != nullptr) describe_draws(*draws, sets_, memory_);
    for (std::uint32_t w = 0; w < plan_.weights.size(); ++w) {
      const bool is_drawn = draws != nullptr && w + 1 == plan_.weights.size();
      for (const BufferIndex b : plan_.weights[w]) {
        is_drawn ? sets_.start_drawn_weights(live_[b], w, to_row(plan_.units[b]))
                 : sets_.start_weights(live_[b], w, to_row(plan_.units[b]));
      }
    }
    for (std::uint32_t l = 0; l < plan_.launches.size(); ++l) find_live(l);
    for (auto l = to_row(plan_.launches.size()); l-- > 0;) find_needed(l);
    return sets_;
  }

 private:
  [[nodiscard]] const BatchLaunch& launch(std::uint32_t l) const { return plan_.launches[l]; }
  [[nodiscard]] bool by_members(std::uint32_t l) const {
    return numbers_.traits(l).has_rows_by_members;
  }

  // Of a member its row.
  made::NumberMap owner(const BatchLaunch& of) {
    made::NumberMap map{};
    if (of.segments == KernelSegments::Ragged) map.list = memory_.share(*of.owners);
    if (of.segments == KernelSegments::Fixed) map.divisor = of.members;
    if (of.segments == KernelSegments::Strided) map.remainder = of.rows;
    return map;
  }
  // Of a counter the row that an access has.
  made::NumberMap row_of(const BatchLaunch& of, const BatchAccess& access) {
    made::NumberMap map{};
    if (access.map == RowMap::List && !access.is_identity) map.list = memory_.share(*access.list);
    if (access.map == RowMap::Tile && !access.store) map.list = memory_.share(*of.types);
    map.is_zero = access.map == RowMap::One || (access.map == RowMap::Tile && access.store) ? 1 : 0;
    return map;
  }

  // Walks over rows of an access that are in a set of its buffer.
  SearchWalk over_units(const BatchAccess& access, std::uint32_t set) const {
    SearchWalk walk(set, access.first, access.rows * access.size);
    walk.job.size = to_row(access.size);
    walk.job.limit = access.rows;
    return walk;
  }
  // The same, over the counters that have them.
  SearchWalk over_readers(const BatchLaunch& of, const BatchAccess& access, std::uint32_t set) {
    SearchWalk walk = over_units(access, set);
    made::SearchJob& job = walk.job;
    if (access.map == RowMap::Direct) {
      const std::uint64_t counters = is_by_member(access) ? member_count(of) : of.rows;
      job.limit = to_row(std::min<std::uint64_t>(job.limit, counters));
    } else if (access.map != RowMap::List) {
      job.limit = 1;
    } else if (!access.is_identity) {
      take_readers(access, walk);
    }
    return walk;
  }
  // Of the rows that have some, counted from the first of them.
  void take_readers(const BatchAccess& access, SearchWalk& walk) {
    const std::uint32_t rows = access.end_read - access.first_read;
    made::SearchJob& job = walk.job;
    job.source += access.first_read * access.size;
    job.count = rows * access.size;
    job.limit = rows;
    if (access.is_read_once) {
      job.before.list = memory_.share(access.readers->readers);
    } else {
      job.expand = made::kReaders;
      job.begins = memory_.share(access.readers->offsets);
      job.readers = memory_.share(access.readers->readers);
    }
  }
  SearchWalk over_members(std::uint32_t l, std::uint32_t set) const {
    return {set, 0, member_count(launch(l))};
  }
  // `rows`: kNone of a launch whose rows are those of its members.
  SearchWalk over_rows(std::uint32_t l, std::uint32_t rows) {
    if (!by_members(l)) return {rows, 0, launch(l).rows};
    SearchWalk walk = over_members(l, live_members_[l]);
    walk.job.before = owner(launch(l));
    return walk;
  }
  // Over the counters that an access has when these rows and members run; rows alone where it has
  // one row for all of them.
  SearchWalk over_counters(std::uint32_t l, const BatchAccess& access, std::uint32_t rows,
                           std::uint32_t members) {
    const BatchLaunch& of = launch(l);
    if (access.space == KernelSpace::Row || access.map == RowMap::One) return over_rows(l, rows);
    if (of.drops) return over_members(l, members);
    SearchWalk walk = over_rows(l, rows);
    made::SearchJob& job = walk.job;
    job.members = of.members;
    job.stride = of.rows;
    if (of.segments == KernelSegments::Fixed) job.expand = made::kFixedMembers;
    if (of.segments == KernelSegments::Strided) job.expand = made::kStridedMembers;
    if (of.segments == KernelSegments::Ragged) {
      job.expand = made::kMembers;
      job.begins = memory_.share(*of.offsets);
    }
    return walk;
  }
  void put_units(SearchWalk walk, const BatchAccess& access, std::uint32_t set) {
    walk.to.size = to_row(access.size);
    sets_.put(walk, set, access.first);
  }

  // RowFinder::find_live().
  void find_live(std::uint32_t l) {
    const bool is_pure = numbers_.traits(l).is_pure;
    for (const BatchSources& sources : launch(l).sources) {
      const std::uint32_t rows = is_pure ? rows_[l] : sets_.take(launch(l).rows);
      for (const std::uint32_t load : sources.loads) find_live_readers(l, load, sources, rows);
      if (!is_pure) mark_stores(l, sources, rows);
    }
    if (!is_pure) return;
    for (const BatchSources& sources : launch(l).sources) mark_stores(l, sources, rows_[l]);
    need_loads(l);
  }

  void find_live_readers(std::uint32_t l, std::uint32_t load, const BatchSources& sources,
                         std::uint32_t rows) {
    const BatchLaunch& of = launch(l);
    const BatchAccess& access = of.accesses[load];
    const SearchWalk walk = over_readers(of, access, live_[access.buffer]);
    if (is_by_member(access)) {
      if (of.drops) sets_.put(walk, live_members_[l]);
      if (!by_members(l)) {
        SearchWalk owners = walk;
        owners.to.after = owner(of);
        sets_.put(owners, rows);
      }
    } else if (access.map != RowMap::One) {
      sets_.put(walk, rows);
    } else if (!sources.stores.empty()) {
      sets_.fill(rows, of.rows, walk);
    }
    for (const BatchUpdate& update : of.updates) {
      if (update.group == kNone || std::ranges::count(update.sources, load) == 0) continue;
      SearchWalk runs = walk;
      runs.to.after.is_zero = 1;
      sets_.put(runs, groups_, update.group);
    }
  }

  void mark_stores(std::uint32_t l, const BatchSources& sources, std::uint32_t rows) {
    for (const std::uint32_t store : sources.stores) {
      const BatchAccess& access = launch(l).accesses[store];
      SearchWalk walk = over_counters(l, access, rows, live_members_[l]);
      walk.to.after = row_of(launch(l), access);
      put_units(walk, access, live_[access.buffer]);
    }
  }

  // RowFinder::run(): what rows that run load is needed, unless it is 0 but for a batch and live.
  void need_loads(std::uint32_t l) {
    for (const BatchAccess& access : launch(l).accesses) {
      if (!access.is_made || (access.is_zero && !numbers_.traits(l).reads_zeros)) continue;
      SearchWalk walk = access.map == RowMap::Tile
                            ? over_rows(l, rows_[l])
                            : over_counters(l, access, rows_[l], members_[l]);
      walk.to.after = row_of(launch(l), access);
      if (access.is_zero) sets_.unless(walk, live_[access.buffer], access.first);
      put_units(walk, access, needed_[access.buffer]);
    }
  }

  // RowFinder::find_needed().
  void find_needed(std::uint32_t l) {
    if (!numbers_.traits(l).is_pure) {
      for (const BatchUpdate& update : launch(l).updates) need_update(l, update);
      for (const BatchAccess& access : launch(l).accesses) {
        if (access.store) need_store(l, access);
      }
      if (launch(l).drops) {
        SearchWalk walk = over_members(l, live_members_[l]);
        walk.to.owner = owner(launch(l));
        sets_.only(walk, rows_[l]);
        sets_.put(walk, members_[l]);
      }
      need_loads(l);
    }
    for (const ReachNumbers::Rests& rests : numbers_.places(l).rests) find_rests(l, rests);
  }

  void need_update(std::uint32_t l, const BatchUpdate& update) {
    if (update.group == kNone) return sets_.fill(rows_[l], launch(l).rows);
    sets_.fill(rows_[l], launch(l).rows, SearchWalk(groups_, update.group, 1));
  }

  // The rows that store what is needed, or not 0.
  void need_store(std::uint32_t l, const BatchAccess& access) {
    const BatchLaunch& of = launch(l);
    const std::uint32_t set =
        plan_.zero_buffers[access.buffer] ? live_[access.buffer] : needed_[access.buffer];
    if (set == kNone) return;
    SearchWalk walk = over_readers(of, access, set);
    if (is_by_member(access)) walk.to.after = owner(of);
    if (access.map == RowMap::One || access.map == RowMap::Tile) walk.to.after.is_zero = 1;
    sets_.put(walk, rows_[l]);
  }

  // Rows that are needed and 0: those that a row which runs stores are left out later (keeps()).
  void find_rests(std::uint32_t l, const ReachNumbers::Rests& rests) {
    const BatchAccess& access = launch(l).accesses[rests.access];
    SearchWalk walk = over_readers(launch(l), access, needed_[access.buffer]);
    walk.to.to_row = 1;
    sets_.put(walk, sets_.own_at(rests.first, access.rows), access.first_read);
  }

  const BatchPlan& plan_;
  const ReachNumbers& numbers_;
  TableMemory& memory_;
  SearchSections sets_;
  std::vector<std::uint32_t> live_;    // by buffer: what is not 0
  std::vector<std::uint32_t> needed_;  // by buffer: what a launch reads
  std::uint32_t groups_ = 0;
  std::vector<std::uint32_t> rows_;          // by launch: that run
  std::vector<std::uint32_t> members_;       // by launch that drops: that run
  std::vector<std::uint32_t> live_members_;  // the same, not 0
};

}  // namespace

bool can_search(const BatchPlan& plan) {
  if (plan.lists_touched || !plan.outputs.empty()) return false;
  const std::vector<LaunchTraits> traits = launch_traits(plan);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const BatchLaunch& launch = plan.launches[l];
    bool stores_members = false;
    for (const BatchSources& sources : launch.sources) {
      for (const std::uint32_t load : sources.loads) {
        if (launch.accesses[load].map == RowMap::Tile) return false;
      }
      for (const std::uint32_t store : sources.stores) {
        stores_members |= launch.accesses[store].space == KernelSpace::Member;
      }
    }
    const bool shares_members = !traits[l].is_pure && launch.drops && stores_members;
    if (shares_members && launch.sources.size() > 1) return false;
  }
  return true;
}

void share_numbers(const BatchPlan& plan, const SampledMembers* draws, ReachNumbers& numbers) {
  TableMemory memory(0);
  SearchDescriber describer(plan, numbers, memory);
  numbers.move_to(describer.describe(draws).begins(
      numbers.sections(std::vector<bool>(plan.launches.size(), false)).sections));
}

std::optional<BatchSearch> describe_search(const BatchPlan& plan, const ReachNumbers& numbers,
                                           const SampledMembers* draws, TableMemory& memory) {
  BatchSearch search;
  SearchDescriber(plan, numbers, memory).describe(draws).finish(search);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (search.numbers / 64 > kMost) return std::nullopt;
  return search;
}

}  // namespace vecc::cuda
