#include "backends/cuda/predict_times.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vecc::cuda {
namespace {

// Microseconds, fitted to forward passes of eight small programs (MUTAG, ENZYMES, PROTEINS,
// mutagenesis) on an H200, all within a fifth. What a stage begins with; of a graph a level, a
// further node in it and a unit of work; of a grid a level (its barrier and what its blocks fetch
// before they compute) and a unit of work.
constexpr double kGraphBegin = 3.0;
constexpr double kGraphLevel = 2.0;
constexpr double kGraphNode = 0.75;
constexpr double kGraphWork = 0.4e-6;
constexpr double kGridBegin = 5.0;
constexpr double kGridLevel = 2.7;
constexpr double kGridWork = 6e-6;
// In parts: the barrier between two phases, a block's level and a further step in it, a unit of
// its own work.
constexpr double kPartsBegin = 5.0;
constexpr double kBarrier = 1.5;
constexpr double kBlockLevel = 1.0;
constexpr double kBlockStep = 0.25;
constexpr double kBlockWork = 1.3e-4;

}  // namespace

PredictedTimes predict_times(const Plan& plan, std::span<const StageLaunches> stages) {
  PredictedTimes times;
  for (const StageLaunches& stage : stages) {
    if (stage.levels.empty()) continue;
    std::set<std::pair<std::uint32_t, std::uint32_t>> nodes;  // by level and kernel
    std::uint32_t depth = 0;
    double work = 0;
    for (std::uint32_t l = 0; l < stage.levels.size(); ++l) {
      const Launch& launch = plan.launches[stage.first + l];
      nodes.emplace(stage.levels[l], launch.kernel);
      depth = std::max(depth, stage.levels[l] + 1);
      work += static_cast<double>(launch.work);
    }
    const auto further = static_cast<double>(nodes.size() - depth);
    times.graph += kGraphBegin + kGraphLevel * depth + kGraphNode * further + kGraphWork * work;
    times.grid += kGridBegin + kGridLevel * depth + kGridWork * work;
  }
  return times;
}

double predict_phases(const Plan& plan, const StageLaunches& stage,
                      std::span<const LaunchPhase> phases, std::uint32_t blocks) {
  struct BlockTime {
    double time = 0;
    std::set<std::uint32_t> levels;
  };
  std::map<std::uint32_t, std::vector<BlockTime>> times;  // by phase and block
  for (std::uint32_t l = 0; l < phases.size(); ++l) {
    const Launch& launch = plan.launches[stage.first + l];
    std::vector<BlockTime>& of_phase = times[phases[l].phase];
    of_phase.resize(blocks);
    const double each = kBlockWork * static_cast<double>(launch.work) / std::max(launch.rows, 1u);
    std::uint32_t last = kNone;
    for (const std::uint32_t block : phases[l].blocks) {
      of_phase[block].time += each;
      if (block == last) continue;
      const bool is_first = of_phase[block].levels.insert(phases[l].level).second;
      of_phase[block].time += is_first ? kBlockLevel : kBlockStep;
      last = block;
    }
  }
  double time = kPartsBegin - kBarrier;
  for (const auto& [phase, of_phase] : times) {
    time += kBarrier + std::ranges::max(of_phase, {}, &BlockTime::time).time;
  }
  return time;
}

}  // namespace vecc::cuda
