#include "backends/cuda/walk_phases.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "backends/cuda/row_sets.h"
#include "src/kernel/kernel_loops.h"
#include "src/plan/row_accesses.h"

namespace vecc::cuda {
namespace {

// Numbers of the memory, and rows with their members, that are looked at.
constexpr std::uint64_t kMostNumbers = 32'000'000;
// A set of rows is a block's if it is no more than this share of all blocks' work, or takes no
// longer than a barrier.
constexpr double kLargestShare = 16;
constexpr double kAlwaysOneBlock = 3000;

constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
constexpr std::uint32_t kMany = 0xFFFFFFFEu;

// By row of a launch, in its order, a share of the launch's work.
std::vector<double> row_weights(const Plan& plan, const Launch& launch) {
  std::vector<double> weights(launch.rows);
  double all = 0;
  for_each_row(plan, launch, [&](const LaunchRow& row) {
    double members = 1;
    for_each_row_member(plan, launch, row.row, [&](std::uint32_t) { members += 1; });
    weights[row.position] = members;
    all += members;
  });
  const double each = static_cast<double>(launch.work) / std::max(all, 1.0);
  for (double& weight : weights) weight = weight * each + 1;
  return weights;
}

class PhaseFinder {
 public:
  PhaseFinder(const Plan& plan, const StageLaunches& stage, const PlanMemory& memory,
              std::uint32_t blocks)
      : plan_(plan),
        stage_(stage),
        memory_(memory),
        block_count_(blocks),
        touched_(memory.size()),
        phases_(stage.levels.size()),
        sets_({}) {
    std::vector<double> weights;
    for (std::uint32_t l = 0; l < phases_.size(); ++l) {
      first_rows_.push_back(static_cast<std::uint32_t>(weights.size()));
      const std::vector<double> own = row_weights(plan, launch(l));
      weights.insert(weights.end(), own.begin(), own.end());
      launch_of_.resize(weights.size(), l);
    }
    first_rows_.push_back(static_cast<std::uint32_t>(weights.size()));
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    most_ = std::max(all / kLargestShare, kAlwaysOneBlock);
    sets_ = RowSets(std::move(weights));
  }

  std::vector<LaunchPhase> run() && {
    for (std::uint32_t l = 0; l < phases_.size(); ++l) {
      const std::uint32_t phase = find_links(l);
      phases_[l].phase = joins(phase) ? phase : phase + 1;
      touch(l);
    }
    find_levels();
    assign_blocks();
    return std::move(phases_);
  }

 private:
  // Of a number: the row that stored it last, the row that has loaded it since.
  struct Touched {
    std::uint32_t writer = kNobody;
    std::uint32_t reader = kNobody;  // kMany: of different sets
    std::uint32_t phase = 0;         // of the latest reader
  };
  // Two rows of which the second comes after the first.
  struct Link {
    std::uint32_t before;
    std::uint32_t after;
  };

  [[nodiscard]] const Launch& launch(std::uint32_t l) const {
    return plan_.launches[stage_.first + l];
  }
  [[nodiscard]] std::uint32_t phase_of(std::uint32_t row) const {
    return phases_[launch_of_[row]].phase;
  }
  template <class Visit>
  void for_each_number(std::uint32_t l, Visit&& visit) {
    for_each_row(plan_, launch(l), [&](const LaunchRow& row) {
      const std::uint32_t number = first_rows_[l] + row.position;
      for_each_access(plan_, memory_, launch(l), row,
                      [&](bool stores, std::uint64_t first, std::uint64_t count) {
                        for (std::uint64_t e = first; e < first + count; ++e) {
                          visit(number, stores, touched_[e]);
                        }
                      });
    });
  }

  static void link(std::vector<Link>& links, std::uint32_t before, std::uint32_t after) {
    if (!links.empty() && links.back().before == before && links.back().after == after) return;
    links.push_back({before, after});
  }

  // What a launch comes after; the first phase that it can be in.
  std::uint32_t find_links(std::uint32_t l) {
    reads_.clear();
    overwrites_.clear();
    std::uint32_t phase = 0;
    for_each_number(l, [&](std::uint32_t row, bool stores, const Touched& touched) {
      if (touched.writer != kNobody) {
        phase = std::max(phase, phase_of(touched.writer));
        link(reads_, touched.writer, row);
      }
      if (!stores || touched.reader == kNobody) return;
      phase = std::max(phase, touched.phase + (touched.reader == kMany ? 1 : 0));
      if (touched.reader != kMany) link(overwrites_, touched.reader, row);
    });
    return phase;
  }

  // Whether the launch can be in that phase; its rows are then in the sets of what they read.
  bool joins(std::uint32_t phase) {
    const std::size_t before = sets_.joins();
    for (const Link& read : reads_) {
      if (phase_of(read.before) == phase && sets_.join(read.before, read.after) > most_) {
        sets_.undo(before);
        return false;
      }
    }
    const bool apart = std::ranges::any_of(overwrites_, [&](const Link& link) {
      return phase_of(link.before) == phase && sets_.find(link.before) != sets_.find(link.after);
    });
    if (apart) sets_.undo(before);
    return !apart;
  }

  void touch(std::uint32_t l) {
    const std::uint32_t phase = phases_[l].phase;
    for_each_number(l, [&](std::uint32_t row, bool stores, Touched& touched) {
      if (stores) return;
      const bool is_first = touched.reader == kNobody || touched.phase < phase;
      const bool is_same = !is_first && touched.reader != kMany && touched.phase == phase &&
                           sets_.find(touched.reader) == sets_.find(row);
      touched.reader = is_first || is_same ? row : kMany;
      touched.phase = std::max(touched.phase, phase);
    });
    for_each_number(l, [](std::uint32_t row, bool stores, Touched& touched) {
      if (stores) touched = {row, kNobody, 0};
    });
  }

  void find_levels() {
    for (std::uint32_t l = 0; l < phases_.size(); ++l) {
      for (const std::uint32_t other : stage_.before[l]) {
        if (phases_[other].phase != phases_[l].phase) continue;
        phases_[l].level = std::max(phases_[l].level, phases_[other].level + 1);
      }
    }
  }

  // Sets in the order of their first rows, each block as many as are its share: neighbours are
  // likely to be neighbours everywhere.
  void assign_blocks() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> sets;  // by phase
    std::vector<std::uint32_t> block_of(launch_of_.size(), kNobody);
    for (std::uint32_t row = 0; row < launch_of_.size(); ++row) {
      const std::uint32_t set = sets_.find(row);
      if (block_of[set] != kNobody) continue;
      block_of[set] = 0;
      sets[phase_of(row)].push_back(set);
    }
    for (const auto& [phase, own] : sets) share_out(own, block_of);
    for (std::uint32_t l = 0; l < phases_.size(); ++l) {
      for (std::uint32_t row = first_rows_[l]; row < first_rows_[l + 1]; ++row) {
        phases_[l].blocks.push_back(block_of[sets_.find(row)]);
      }
    }
  }

  // In turn, with the least largest load: what a block may have at most is found by halving.
  void share_out(const std::vector<std::uint32_t>& sets, std::vector<std::uint32_t>& block_of) {
    double least = 0;
    double most = 0;
    for (const std::uint32_t set : sets) {
      least = std::max(least, sets_.weight(set));
      most += sets_.weight(set);
    }
    const auto share = [&](double limit) {
      std::uint32_t block = 0;
      double load = 0;
      for (const std::uint32_t set : sets) {
        if (load > 0 && load + sets_.weight(set) > limit) {
          ++block;
          load = 0;
        }
        load += sets_.weight(set);
        block_of[set] = block;
      }
      return block < block_count_;
    };
    if (sets.size() <= block_count_) {
      for (std::uint32_t i = 0; i < sets.size(); ++i) block_of[sets[i]] = i;
      return;
    }
    constexpr int kHalvings = 30;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (least + most) / 2;
      (share(middle) ? most : least) = middle;
    }
    share(most);
  }

  const Plan& plan_;
  const StageLaunches& stage_;
  const PlanMemory& memory_;
  std::uint32_t block_count_;
  std::vector<Touched> touched_;  // by number of the memory
  std::vector<LaunchPhase> phases_;
  std::vector<std::uint32_t> first_rows_;  // by launch, among all rows of the stage
  std::vector<std::uint32_t> launch_of_;   // by row
  RowSets sets_;
  double most_ = 0;
  // Of the launch that is looked at.
  std::vector<Link> reads_;
  std::vector<Link> overwrites_;
};

// Rows and members of a stage.
std::uint64_t counted_steps(const Plan& plan, const StageLaunches& stage) {
  std::uint64_t steps = 0;
  for (std::size_t l = 0; l < stage.levels.size(); ++l) {
    const Launch& launch = plan.launches[stage.first + l];
    const Kernel& kernel = plan.kernels[launch.kernel];
    std::uint64_t members = 0;
    if (kernel.segments == KernelSegments::Ragged) {
      members = plan.arrays[launch.offsets]->back();
    } else if (kernel.segments != KernelSegments::None) {
      members = std::uint64_t{launch.rows} * std::max(kernel.members, launch.members);
    }
    std::uint64_t size = 0;
    for (const KernelAccess& access : kernel.accesses) size += access.shape.size();
    steps += (launch.rows + members) * size;
  }
  return steps;
}

}  // namespace

std::optional<std::vector<LaunchPhase>> find_phases(const Plan& plan, const StageLaunches& stage,
                                                    std::uint32_t blocks) {
  const PlanMemory memory(plan);
  if (memory.size() > kMostNumbers || counted_steps(plan, stage) > kMostNumbers) {
    return std::nullopt;
  }
  return PhaseFinder(plan, stage, memory, blocks).run();
}

void order_by_block(Plan& plan, Launch& launch, LaunchPhase& phase) {
  if (!has_order(plan.kernels[launch.kernel])) return;
  std::vector<std::uint32_t> positions(launch.rows);
  std::iota(positions.begin(), positions.end(), 0u);
  if (launch.tile_types.empty()) {
    std::ranges::stable_sort(positions, {}, [&](std::uint32_t q) { return phase.blocks[q]; });
  } else {
    for (std::size_t t = 0; t < launch.tile_types.size(); ++t) {
      std::ranges::stable_sort(
          std::span(positions).subspan(launch.tiles[t], launch.tiles[t + 1] - launch.tiles[t]), {},
          [&](std::uint32_t q) { return phase.blocks[q]; });
    }
  }
  if (std::ranges::is_sorted(positions)) return;
  std::vector<std::uint32_t> blocks;
  for (const std::uint32_t q : positions) blocks.push_back(phase.blocks[q]);
  phase.blocks = std::move(blocks);
  if (launch.order != kNone) {
    const std::vector<std::uint32_t>& rows = *plan.arrays[launch.order];
    for (std::uint32_t& q : positions) q = rows[q];
  }
  launch.order = static_cast<ArrayIndex>(plan.arrays.size());
  plan.arrays.push_back(std::make_shared<const std::vector<std::uint32_t>>(std::move(positions)));
}

}  // namespace vecc::cuda
