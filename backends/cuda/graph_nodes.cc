#include "backends/cuda/graph_nodes.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "backends/cuda/early_start.h"
#include "src/kernel/kernel_lists.h"
#include "src/plan/analysis/dependencies.h"
#include "src/plan/analysis/launch_rows.h"
#include "src/plan/analysis/narrow_arrays.h"

namespace vecc::cuda {
namespace {

// The launches of a stage, in the Plan's order.
struct StageLaunches {
  std::uint32_t first = 0;                         // of the Plan's
  std::vector<std::vector<std::uint32_t>> before;  // by launch what it waits for, from `first` on
  std::vector<std::uint32_t> levels;  // by launch; what it waits for is in an earlier one
};

// One after another: the Plan's levels will do, and nothing is asked of each launch.
std::vector<StageLaunches> list_in_order(const Plan& plan) {
  std::vector<StageLaunches> stages(kStages);
  std::uint32_t next = 0;
  for (std::uint32_t number = 0; number < kStages; ++number) {
    StageLaunches& stage = stages[number];
    stage.first = next;
    for (; next < plan.launches.size() && plan.launches[next].stage == number; ++next) {
      stage.levels.push_back(plan.launches[next].level);
    }
  }
  return stages;
}

// Of a graph: as few levels as there can be.
std::vector<StageLaunches> list_with_waits(const Plan& plan) {
  auto before = launch_dependencies(plan);
  std::vector<StageLaunches> stages(kStages);
  std::uint32_t next = 0;
  for (std::uint32_t number = 0; number < kStages; ++number) {
    StageLaunches& stage = stages[number];
    stage.first = next;
    for (; next < before.size() && plan.launches[next].stage == number; ++next) {
      std::vector<std::uint32_t>& waits = stage.before.emplace_back(std::move(before[next]));
      std::uint32_t level = 0;
      for (std::uint32_t& launch : waits) {
        launch -= stage.first;
        level = std::max(level, stage.levels[launch] + 1);
      }
      stage.levels.push_back(level);
    }
  }
  return stages;
}

void add_launch(const Plan& plan, std::uint32_t number, const LaunchSchedule& rows,
                GraphNode& node) {
  const Launch& launch = plan.launches[number];
  node.schedule = rows.schedule;
  node.cycles = node.cycles.beside(rows.cycles);
  node.first_blocks.push_back(static_cast<std::uint32_t>(node.blocks.size()));
  for (BlockRows& block : cut_blocks(plan, launch, rows)) {
    block.launch = static_cast<std::uint32_t>(node.launches.size());
    node.blocks.push_back(block);
  }
  node.launches.push_back(number);
}

// What each node waits for, from what its launches wait for.
void set_waits(const StageLaunches& stage, std::vector<GraphNode>& nodes) {
  std::vector<std::uint32_t> node_of(stage.before.size());
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    GraphNode& node = nodes[n];
    for (const std::uint32_t launch : node.launches) {
      node_of[launch - stage.first] = n;
      for (const std::uint32_t other : stage.before[launch - stage.first]) {
        node.before.push_back(node_of[other]);
      }
    }
    std::ranges::sort(node.before);
    node.before.erase(std::unique(node.before.begin(), node.before.end()), node.before.end());
  }
}

// By level.
std::vector<GraphNode> merge_launches(const Plan& plan, const StageLaunches& stage,
                                      const NarrowArrays& narrow, LaunchSchedules& schedules) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, MemberLoops, bool>;
  std::map<Key, GraphNode> merged;  // by level, kernel, loops and width of the lists
  for (std::uint32_t l = 0; l < stage.levels.size(); ++l) {
    const Launch& launch = plan.launches[stage.first + l];
    const LaunchSchedule rows = schedules.of(launch);
    const bool is_narrow = has_lists(plan.kernels[launch.kernel]) && narrow.has_all_of(launch);
    add_launch(plan, stage.first + l, rows,
               merged[{stage.levels[l], launch.kernel, rows.schedule->members, is_narrow}]);
  }
  std::vector<GraphNode> nodes;
  nodes.reserve(merged.size());
  while (!merged.empty()) {  // there may be millions: no second copy of them
    auto entry = merged.extract(merged.begin());
    GraphNode node = std::move(entry.mapped());
    node.narrow = std::get<bool>(entry.key());
    node.first_blocks.push_back(static_cast<std::uint32_t>(node.blocks.size()));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

NodeLoad load_of(const Plan& plan, const GraphNode& node) {
  std::uint64_t members = 0;
  for (const std::uint32_t number : node.launches) {
    const Launch& launch = plan.launches[number];
    members += counted_rows(plan, plan.kernels[launch.kernel], launch, KernelSpace::Member);
  }
  const double cycles = std::max(node.cycles.begun, node.cycles.longest);
  return {.microseconds = cycles / plan.target.megahertz,
          .is_small = node.blocks.size() <= plan.target.multiprocessors,
          .is_short = members <= plan.target.launches.short_members};
}

void start_early(const Plan& plan, std::vector<GraphNode>& nodes) {
  std::vector<std::vector<std::uint32_t>> before;
  std::vector<NodeLoad> loads;
  for (GraphNode& node : nodes) {
    before.push_back(std::move(node.before));
    loads.push_back(load_of(plan, node));
  }
  std::vector<GraphNode> ordered;
  ordered.reserve(nodes.size());
  for (NodeStart& start : plan_early_start(before, loads, plan.target.launches)) {
    GraphNode& node = ordered.emplace_back(std::move(nodes[start.node]));
    node.before = std::move(start.before);
    node.programmatic = start.programmatic;
    node.priority = start.priority;
  }
  nodes = std::move(ordered);
}

}  // namespace

std::vector<std::vector<GraphNode>> make_graph_nodes(const Plan& plan, LaunchWay way,
                                                     bool starts_early,
                                                     std::span<const RowSizes> typical) {
  const NarrowArrays narrow(plan);
  LaunchSchedules schedules(plan, typical);
  std::vector<std::vector<GraphNode>> stages;
  const bool is_graph = way == LaunchWay::Graph;
  for (const StageLaunches& stage : is_graph ? list_with_waits(plan) : list_in_order(plan)) {
    std::vector<GraphNode>& nodes =
        stages.emplace_back(merge_launches(plan, stage, narrow, schedules));
    if (!is_graph) continue;
    set_waits(stage, nodes);
    if (starts_early) start_early(plan, nodes);
  }
  return stages;
}

}  // namespace vecc::cuda
