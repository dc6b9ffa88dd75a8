#include "backends/cuda/fit_schedules.h"

#include <vector>

#include "src/calibration/fit_times.h"

namespace vecc::cuda {
namespace {

// The runs of one schedule, counted by `counts_of`.
template <class Counts, class CountsOf>
std::vector<MeasuredTime> times_of(std::span<const MeasuredSchedule> runs, CountsOf&& counts_of) {
  std::vector<MeasuredTime> times;
  for (const MeasuredSchedule& run : runs) {
    const auto* counts = std::get_if<Counts>(&run.counts);
    if (counts != nullptr) times.push_back({counts_of(*counts), run.microseconds});
  }
  return times;
}

void fit_graph(std::span<const MeasuredSchedule> runs, ScheduleCoefficients::Graph& graph) {
  const auto times = times_of<GraphCounts>(runs, [](const GraphCounts& c) {
    return std::vector<double>{c.stages, c.levels, c.nodes, c.work};
  });
  if (times.empty()) return;
  const std::vector<double> c = fit_times(4, times);
  graph = {c[0], c[1], c[2], c[3]};
}

void fit_grid(std::span<const MeasuredSchedule> runs, ScheduleCoefficients::Grid& grid) {
  const auto times = times_of<GridCounts>(runs, [](const GridCounts& c) {
    return std::vector<double>{c.stages, c.levels, c.work};
  });
  if (times.empty()) return;
  const std::vector<double> c = fit_times(3, times);
  grid = {c[0], c[1], c[2]};
}

// Which block is the slowest depends on what is looked for: again with what was found, until that
// no longer changes.
void fit_parts(std::span<const MeasuredSchedule> runs, ScheduleCoefficients::Parts& parts) {
  constexpr int kMostRounds = 20;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto times = times_of<PartsCounts>(runs, [&](const PartsCounts& counts) {
      const PartsCounts::Block slowest = slowest_blocks(counts, parts);
      return std::vector<double>{counts.stages, counts.barriers(), slowest.levels, slowest.steps,
                                 slowest.work};
    });
    if (times.empty()) return;
    const std::vector<double> c = fit_times(5, times);
    const ScheduleCoefficients::Parts found{c[0], c[1], c[2], c[3], c[4]};
    if (found == parts) return;
    parts = found;
  }
}

}  // namespace

ScheduleCoefficients fit_schedules(std::span<const MeasuredSchedule> runs,
                                   const ScheduleCoefficients& otherwise) {
  ScheduleCoefficients coefficients = otherwise;
  fit_graph(runs, coefficients.graph);
  fit_grid(runs, coefficients.grid);
  fit_parts(runs, coefficients.parts);
  return coefficients;
}

}  // namespace vecc::cuda
