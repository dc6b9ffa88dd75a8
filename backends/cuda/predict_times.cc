#include "backends/cuda/predict_times.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vecc::cuda {
namespace {

double depth_of(const StageLaunches& stage) {
  return stage.levels.empty() ? 0 : 1.0 + std::ranges::max(stage.levels);
}

double work_of(const Plan& plan, const StageLaunches& stage) {
  double work = 0;
  for (std::uint32_t l = 0; l < stage.levels.size(); ++l) {
    work += static_cast<double>(plan.launches[stage.first + l].work);
  }
  return work;
}

// Adds the launches of a stage to its phases, by block.
void count_blocks(const Plan& plan, const StageLaunches& stage, std::span<const LaunchPhase> phases,
                  std::map<std::uint32_t, std::vector<PartsCounts::Block>>& counts,
                  std::uint32_t blocks) {
  std::map<std::uint32_t, std::vector<std::set<std::uint32_t>>> levels;  // by phase and block
  for (std::uint32_t l = 0; l < stage.levels.size(); ++l) {
    const Launch& launch = plan.launches[stage.first + l];
    const LaunchPhase& phase = phases[stage.first + l];
    std::vector<PartsCounts::Block>& of_phase = counts[phase.phase];
    of_phase.resize(blocks);
    levels[phase.phase].resize(blocks);
    const double each = static_cast<double>(launch.work) / std::max(launch.rows, 1u);
    std::uint32_t last = kNone;
    for (const std::uint32_t block : phase.blocks) {
      of_phase[block].work += each;
      if (block == last) continue;
      const bool is_first = levels[phase.phase][block].insert(phase.level).second;
      (is_first ? of_phase[block].levels : of_phase[block].steps) += 1;
      last = block;
    }
  }
}

double time_of(const PartsCounts::Block& block, const ScheduleCoefficients::Parts& c) {
  return c.level * block.levels + c.step * block.steps + c.work * block.work;
}

struct Prediction {
  const ScheduleCoefficients& c;

  double operator()(const GraphCounts& counts) const {
    return c.graph.begin * counts.stages + c.graph.level * counts.levels +
           c.graph.node * counts.nodes + c.graph.work * counts.work;
  }
  double operator()(const GridCounts& counts) const {
    return c.grid.begin * counts.stages + c.grid.level * counts.levels + c.grid.work * counts.work;
  }
  double operator()(const PartsCounts& counts) const {
    return c.parts.begin * counts.stages + c.parts.barrier * counts.barriers() +
           time_of(slowest_blocks(counts, c.parts), c.parts);
  }
};

}  // namespace

GraphCounts count_graph(const Plan& plan, std::span<const StageLaunches> stages) {
  GraphCounts counts;
  for (const StageLaunches& stage : stages) {
    if (stage.levels.empty()) continue;
    std::set<std::pair<std::uint32_t, std::uint32_t>> nodes;  // by level and kernel
    for (std::uint32_t l = 0; l < stage.levels.size(); ++l) {
      nodes.emplace(stage.levels[l], plan.launches[stage.first + l].kernel);
    }
    counts.stages += 1;
    counts.levels += depth_of(stage);
    counts.nodes += static_cast<double>(nodes.size()) - depth_of(stage);
    counts.work += work_of(plan, stage);
  }
  return counts;
}

GridCounts count_grid(const Plan& plan, std::span<const StageLaunches> stages) {
  GridCounts counts;
  for (const StageLaunches& stage : stages) {
    if (stage.levels.empty()) continue;
    counts.stages += 1;
    counts.levels += depth_of(stage);
    counts.work += work_of(plan, stage);
  }
  return counts;
}

PartsCounts count_parts(const Plan& plan, std::span<const StageLaunches> stages,
                        std::span<const LaunchPhase> phases, std::uint32_t blocks) {
  PartsCounts counts;
  for (const StageLaunches& stage : stages) {
    if (stage.levels.empty()) continue;
    std::map<std::uint32_t, std::vector<PartsCounts::Block>> by_phase;
    count_blocks(plan, stage, phases, by_phase, blocks);
    counts.stages += 1;
    for (auto& [phase, of_phase] : by_phase) counts.phases.push_back(std::move(of_phase));
  }
  return counts;
}

PartsCounts::Block slowest_blocks(const PartsCounts& counts,
                                  const ScheduleCoefficients::Parts& coefficients) {
  PartsCounts::Block sum;
  for (const auto& blocks : counts.phases) {
    const auto slowest = std::ranges::max_element(
        blocks, {}, [&](const PartsCounts::Block& block) { return time_of(block, coefficients); });
    if (slowest == blocks.end()) continue;
    sum.levels += slowest->levels;
    sum.steps += slowest->steps;
    sum.work += slowest->work;
  }
  return sum;
}

double predict_time(const ScheduleCounts& counts, const ScheduleCoefficients& coefficients) {
  return std::visit(Prediction{coefficients}, counts);
}

}  // namespace vecc::cuda
