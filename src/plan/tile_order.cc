#include "src/plan/tile_order.h"

#include <algorithm>
#include <set>

#include "src/plan/tile_blocks.h"

namespace vecc {
namespace {

constexpr std::uint32_t kMostLaunches = 1024;
constexpr std::uint32_t kMostBlocks = 512;  // of a launch
constexpr std::uint64_t kMostTurns = 256;
constexpr std::uint64_t kMostEntries = 1 << 26;  // of lists
// Where launches wait so long for others that nearly all tiles take so many times the turns of one
// launch, rows have left the cache when they are read.
constexpr std::uint64_t kMostRounds = 2;

// What the blocks of a launch wait for, of one that is before it.
struct LaunchNeed {
  std::uint32_t launch = 0;
  std::vector<std::uint32_t> blocks;  // by block: so many of that launch, the first ones
};

// Of which one stores what the other reads or stores.
bool conflict(const AccessExtents& a, const AccessExtents& b) {
  return (a.store || b.store) && a.all.meets(b.all);
}

std::vector<LaunchNeed> needs_of(const std::vector<TileBlocks>& launches, std::uint32_t number) {
  const TileBlocks& own = launches[number];
  std::vector<LaunchNeed> needs;
  for (std::uint32_t before = 0; before < number; ++before) {
    LaunchNeed need{before, {}};
    for (const AccessExtents& to : own.accesses) {
      for (const AccessExtents& from : launches[before].accesses) {
        if (!conflict(from, to)) continue;
        need.blocks.resize(own.count());
        for (std::uint32_t b = 0; b < own.count(); ++b) {
          need.blocks[b] = std::max(need.blocks[b], from.blocks_before(to.blocks[b]));
        }
      }
    }
    if (!need.blocks.empty()) needs.push_back(std::move(need));
  }
  return needs;
}

// Launches of a stage that take turns.
class TurnMaker {
 public:
  TurnMaker(const Plan& plan, std::uint32_t first, std::uint32_t last, std::uint64_t turns,
            RowDirection rows)
      : first_(first), turns_(turns) {
    const StoredPlaces places(plan);
    for (std::uint32_t l = first; l < last; ++l) {
      launches_.push_back(tile_blocks(plan, plan.launches[l], places, rows, kMostBlocks));
    }
    for (std::uint32_t l = 0; l < launches_.size(); ++l) needs_.push_back(needs_of(launches_, l));
    done_.resize(launches_.size());
    begun_.resize(launches_.size(), kNone);
    ends_.resize(launches_.size());
  }

  [[nodiscard]] TileOrder make() {
    std::size_t all = 0;
    for (const TileBlocks& launch : launches_) all += launch.tiles.size();
    const std::size_t nearly_all = all - all / 10;
    order_.turns = {0};
    for (std::uint32_t turn = 0; !is_done(); ++turn) {
      if (turn >= kMostRounds * turns_ && order_.tiles.size() < nearly_all) return {};
      for (std::uint32_t l = 0; l < launches_.size(); ++l) advance(l, turn);
      const auto steps = static_cast<std::uint32_t>(order_.steps.size());
      if (steps > order_.turns.back()) order_.turns.push_back(steps);
    }
    return std::move(order_);
  }

 private:
  [[nodiscard]] bool is_done() const {
    for (std::size_t l = 0; l < launches_.size(); ++l) {
      if (done_[l] < launches_[l].count()) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_ready(std::uint32_t launch, std::uint32_t block) const {
    return std::ranges::all_of(needs_[launch], [&](const LaunchNeed& need) {
      return done_[need.launch] >= need.blocks[block];
    });
  }

  void advance(std::uint32_t launch, std::uint32_t turn) {
    const std::uint32_t count = launches_[launch].count();
    const std::uint32_t from = done_[launch];
    if (from == count || !is_ready(launch, from)) return;
    if (begun_[launch] == kNone) begun_[launch] = turn;
    // Its part of as many turns as it had; where it waited it catches up by two turns in one.
    const std::uint64_t share = count * (std::uint64_t{turn} - begun_[launch] + 1);
    const std::uint64_t two = (2 * std::uint64_t{count} + turns_ - 1) / turns_;
    const std::uint64_t most =
        std::min({std::uint64_t{count}, (share + turns_ - 1) / turns_, from + two});
    std::uint32_t to = from;
    while (to < most && is_ready(launch, to)) ++to;
    if (to > from) add_step(launch, from, to);
  }

  void add_step(std::uint32_t launch, std::uint32_t from, std::uint32_t to) {
    const TileBlocks& of = launches_[launch];
    TileStep step;
    step.launch = first_ + launch;
    step.first = static_cast<std::uint32_t>(order_.tiles.size());
    order_.tiles.insert(order_.tiles.end(), of.tiles.begin() + of.offsets[from],
                        of.tiles.begin() + of.offsets[to]);
    step.last = static_cast<std::uint32_t>(order_.tiles.size());
    step.first_wait = static_cast<std::uint32_t>(order_.waits.size());
    for (const LaunchNeed& need : needs_[launch]) {
      const std::uint32_t blocks =
          *std::max_element(need.blocks.begin() + from, need.blocks.begin() + to);
      const auto end = std::ranges::lower_bound(ends_[need.launch], blocks);
      const auto steps = static_cast<std::uint32_t>(end - ends_[need.launch].begin());
      if (blocks > 0) order_.waits.push_back({first_ + need.launch, steps + 1});
    }
    step.last_wait = static_cast<std::uint32_t>(order_.waits.size());
    order_.steps.push_back(step);
    ends_[launch].push_back(to);
    done_[launch] = to;
  }

  std::uint32_t first_;
  std::uint64_t turns_;
  std::vector<TileBlocks> launches_;
  std::vector<std::vector<LaunchNeed>> needs_;    // by launch
  std::vector<std::uint32_t> done_;               // by launch: blocks
  std::vector<std::uint32_t> begun_;              // by launch: its first turn
  std::vector<std::vector<std::uint32_t>> ends_;  // by launch, by step: blocks that are done
  TileOrder order_;
};

// Of all that launches store.
std::uint64_t stored_bytes(const Plan& plan, std::uint32_t first, std::uint32_t last) {
  std::set<BufferIndex> stored;
  std::uint64_t elements = 0;
  for (std::uint32_t l = first; l < last; ++l) {
    const Launch& launch = plan.launches[l];
    const Kernel& kernel = plan.kernels[launch.kernel];
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const BufferIndex buffer = launch.accesses[a].buffer;
      if (!kernel.accesses[a].store || !stored.insert(buffer).second) continue;
      elements += plan.buffers[buffer].elements;
    }
  }
  return elements * byte_size(plan.dtype);
}

std::uint64_t list_entries(const Plan& plan, std::uint32_t first, std::uint32_t last) {
  std::uint64_t entries = 0;
  for (std::uint32_t l = first; l < last; ++l) {
    for (const AccessBinding& access : plan.launches[l].accesses) {
      entries += access.list == kNone ? 0 : plan.arrays[access.list]->size();
    }
  }
  return entries;
}

}  // namespace

TileOrder order_tiles(const Plan& plan, std::uint32_t stage, const TurnSizes& sizes) {
  const auto at = [&](std::uint32_t s) {
    return static_cast<std::uint32_t>(
        std::ranges::lower_bound(plan.launches, s, {}, &Launch::stage) - plan.launches.begin());
  };
  // (What fills index arrays runs between launches.)
  if (!plan.number_steps.empty()) return {};
  const std::uint32_t first = at(stage);
  const std::uint32_t last = at(stage + 1);
  if (last - first < 2 || last - first > kMostLaunches || sizes.cache_bytes == 0) return {};
  const std::uint64_t bytes = stored_bytes(plan, first, last);
  const std::uint64_t turns =
      std::min(kMostTurns, (bytes + sizes.cache_bytes - 1) / sizes.cache_bytes);
  if (turns < std::max(sizes.least_turns, 2u)) return {};
  if (list_entries(plan, first, last) > kMostEntries) return {};
  // Rows that are alike in several graphs are one, in the first of them: what goes forward reads it
  // from there on, what comes back to it comes from there on, too.
  TileOrder up = TurnMaker(plan, first, last, turns, RowDirection::Ascending).make();
  TileOrder down = TurnMaker(plan, first, last, turns, RowDirection::Descending).make();
  const bool is_better = up.empty() || (!down.empty() && down.turns.size() < up.turns.size());
  return is_better ? std::move(down) : std::move(up);
}

}  // namespace vecc
