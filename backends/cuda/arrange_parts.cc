#include "backends/cuda/arrange_parts.h"

#include <spdlog/spdlog.h>

#include <limits>
#include <vector>

#include "backends/cuda/predict_times.h"
#include "src/plan/launch_layout.h"
#include "src/program/forward.h"

namespace vecc::cuda {
namespace {

// As many parts as large GPUs have multiprocessors; the same on all of them, so that they give the
// same bits.
constexpr std::uint32_t kParts = 132;
// Numbers that a block computes while others would wait.
constexpr std::uint64_t kMostOfPart = 12'000;
// Of the time of a graph, as predicted: what is near it was as fast or faster in parts, and a
// series of epochs gains more than a run.
constexpr double kWorth = 1.04;
// Numbers of all parts, if they are asked for.
constexpr std::uint64_t kMostAsked = 4'000'000;
// Numbers of a Program whose values have memory of their own.
constexpr std::uint64_t kMostStored = 8'000'000;

// Of values that are stored: a gather is read through.
std::uint64_t stored_elements(const Program& program) {
  std::uint64_t elements = 0;
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Gather) elements += op.size();
  }
  return elements;
}

// Microseconds of a forward pass.
double predict_graph(const Program& program, const ScheduleCoefficients& coefficients) {
  const Plan plan = make_plan(program, for_gpu({}));
  return predict_time(count_graph(plan, list_stages(plan)), coefficients);
}
double predict_parts(const Program& program, const ScheduleCoefficients& coefficients,
                     std::uint32_t blocks) {
  const Plan plan = make_plan(program, for_gpu_parts({}));
  const std::vector<StageLaunches> stages = list_stages(plan);
  const auto phases = find_phases(plan, stages.front(), blocks);
  if (!phases) return std::numeric_limits<double>::infinity();
  return predict_time(count_parts(plan, stages, *phases, blocks), coefficients);
}

}  // namespace

std::optional<SampleParts> arrange_parts(const Program& program, const AskedLaunch& asked,
                                         const ScheduleCoefficients& coefficients,
                                         std::uint32_t processors) {
  const bool by_choice = asked.launch == CudaLaunch::Auto;
  if (!by_choice && asked.launch != CudaLaunch::Parts) return std::nullopt;
  if (!is_forward(program)) return std::nullopt;
  if (by_choice && stored_elements(program) > kMostOfPart * kParts) return std::nullopt;
  const std::uint32_t count = asked.blocks == 0 ? kParts : asked.blocks;
  auto parts = split_by_samples(program, count, by_choice ? kMostOfPart * kParts : kMostAsked);
  if (!parts || !by_choice) return parts;
  const double graph = predict_graph(program, coefficients);
  const double in_parts = predict_parts(parts->program, coefficients, processors);
  spdlog::debug("cuda: forward takes {:.1f} us as a graph, {:.1f} in {} parts", graph, in_parts,
                parts->parts);
  if (in_parts < kWorth * graph) return parts;
  return std::nullopt;
}

bool may_run_in_parts(const Program& program, const AskedLaunch& asked, bool arranged) {
  const bool by_choice = arranged && asked.launch == CudaLaunch::Auto;
  if (!by_choice && asked.launch != CudaLaunch::Parts) return false;
  return stored_elements(program) < kMostStored;
}

}  // namespace vecc::cuda
