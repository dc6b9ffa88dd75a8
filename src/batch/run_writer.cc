#include "src/batch/run_writer.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "src/plan/make_launches.h"

namespace vecc {
namespace {

// As many as the whole step's tiles have: members count, too.
std::uint32_t tile_rows(const BatchLaunch& launch, const BatchRows::Run& run) {
  const bool packs = launch.floor == TileFloor::Packed;
  const std::uint64_t floor = least_rows(launch.floor, run.rows);
  const std::uint64_t worth = packs ? std::max(kTileWork, floor * launch.row_work) : kTileWork;
  const std::uint64_t rows = worth * run.rows / std::max<std::uint64_t>(run.work, 1);
  const std::uint64_t least = packs || launch.segments != KernelSegments::None ? 1 : floor;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rows, least, 1 << 30));
}

}  // namespace

// Numbers arrays by what is in them: entries of a list, or counters where it is null.
class RunWriter::SlotTable {
 public:
  SlotTable(const BatchPlan& plan, const ReachNumbers* numbers) : plan_(plan), numbers_(numbers) {}

  [[nodiscard]] Slots of(std::uint32_t number) {
    const BatchLaunch& launch = plan_.launches[number];
    Slots slots;
    if (!launch.drops) {
      if (launch.takes_order) slots.order = slot(number, KernelSpace::Row, nullptr);
      return slots;
    }
    const std::uint32_t alike = numbers_ == nullptr ? number : numbers_->alike(number);
    slots.offsets = find({alike, kOffsets, nullptr, false});
    for (const BatchAccess& access : launch.accesses) {
      const bool is_listed = access.map == RowMap::List;
      const bool is_counter = is_listed ? access.is_identity : access.map == RowMap::Direct;
      const bool is_array = is_listed || (is_counter && launch.rows > 1);
      const void* const list = is_counter ? nullptr : access.list.get();
      slots.lists.push_back(is_array ? slot(number, access.space, list) : kNone);
    }
    return slots;
  }
  [[nodiscard]] std::size_t size() const { return found_.size(); }

 private:
  // Counters, whether they are of offsets, a list, whether entries have 16 bits.
  using Key = std::tuple<std::uint64_t, std::uint32_t, const void*, bool>;
  static constexpr std::uint32_t kCounters = 0;
  static constexpr std::uint32_t kOffsets = 1;

  [[nodiscard]] std::uint32_t slot(std::uint32_t number, KernelSpace space, const void* list) {
    const std::uint64_t own = number * std::uint64_t{2} + (space == KernelSpace::Member ? 1 : 0);
    const std::uint64_t counters = numbers_ == nullptr ? own : numbers_->counters(number, space);
    return find({counters, kCounters, list, plan_.launches[number].is_narrow});
  }
  [[nodiscard]] std::uint32_t find(const Key& key) {
    return found_.try_emplace(key, static_cast<std::uint32_t>(found_.size())).first->second;
  }

  const BatchPlan& plan_;
  const ReachNumbers* numbers_;
  std::map<Key, std::uint32_t> found_;
};

RunWriter::RunWriter(const BatchPlan& plan, const ReachNumbers* numbers) : plan_(plan) {
  SlotTable table(plan, numbers);
  for (std::uint32_t l = 0; l < plan.launches.size(); ++l) slots_.push_back(table.of(l));
  places_.resize(table.size());
}

void RunWriter::begin() {
  std::ranges::fill(places_, kNone);
}

void RunWriter::add(std::uint32_t number, LaunchRows& of, BatchRows& to) {
  const BatchLaunch& launch = plan_.launches[number];
  BatchRows::Run run;
  run.launch = number;
  run.rows = of.rows.size();
  run.work = launch.work * run.rows / std::max(1u, launch.rows);
  if (launch.drops) {
    // Most of it is that of members.
    run.work = launch.work * of.members.size() / std::max(1u, launch.offsets->back());
    add_lists(number, of, run, to);
  } else {
    run.is_whole = run.rows == launch.rows && !plan_.is_compact;
    if (!run.is_whole && launch.types) sort_by_type(launch, of.rows);
    if (!run.is_whole && launch.takes_order) {
      std::uint32_t& place = places_[slots_[number].order];
      if (place == kNone) place = to.add(of.rows, launch.is_narrow);
      run.order = place;
    }
  }
  if (!run.is_whole) add_tiles(launch, of.rows, run, to);
  to.runs.push_back(run);
}

// Of a launch that numbers its rows and members anew.
void RunWriter::add_lists(std::uint32_t number, const LaunchRows& of, BatchRows::Run& run,
                          BatchRows& to) {
  const BatchLaunch& launch = plan_.launches[number];
  const Slots& slots = slots_[number];
  if (places_[slots.offsets] == kNone) places_[slots.offsets] = to.add(of.offsets, false);
  run.offsets = places_[slots.offsets];
  run.lists = static_cast<std::uint32_t>(to.lists.size());
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    if (slots.lists[a] == kNone) {
      to.lists.push_back(kNone);
      continue;
    }
    std::uint32_t& place = places_[slots.lists[a]];
    if (place == kNone) place = add_list(launch, launch.accesses[a], of, to);
    to.lists.push_back(place);
  }
}

std::uint32_t RunWriter::add_list(const BatchLaunch& launch, const BatchAccess& access,
                                  const LaunchRows& of, BatchRows& to) const {
  const NumberList& counters = access.space == KernelSpace::Member ? of.members : of.rows;
  if (access.map != RowMap::List || access.is_identity) return to.add(counters, launch.is_narrow);
  return to.add(*access.list, counters, launch.is_narrow);
}

void RunWriter::add_tiles(const BatchLaunch& launch, const NumberList& rows, BatchRows::Run& run,
                          BatchRows& to) const {
  const bool by_place = launch.drops || launch.takes_order;  // else runs of rows
  std::uint32_t most = tile_rows(launch, run);
  if (launch.types) most = std::min(most, kTypedRows);
  run.first_tile = static_cast<std::uint32_t>(to.tiles.size());
  const auto type_of = [&](std::uint32_t row) { return launch.types ? (*launch.types)[row] : 0; };
  for (std::uint32_t begin = 0; begin < run.rows;) {
    const std::uint32_t row = rows[begin];
    std::uint32_t end = begin + 1;
    if (by_place && !launch.types) {
      end = begin + std::min(most, run.rows - begin);
    } else {
      const auto goes_on = [&](std::uint32_t at) {
        if (by_place) return type_of(rows[at]) == type_of(row);
        return rows[at] == rows[at - 1] + 1;
      };
      while (end < run.rows && end - begin < most && goes_on(end)) ++end;
    }
    const std::uint32_t first = by_place ? begin : row;
    to.tiles.push_back({first, first + (end - begin), type_of(row)});
    begin = end;
  }
  run.tiles = static_cast<std::uint32_t>(to.tiles.size()) - run.first_tile;
}

}  // namespace vecc
