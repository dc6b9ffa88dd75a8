#include "backends/cuda/arrange_parts.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "backends/cuda/predict_times.h"
#include "backends/native/gradient_program.h"
#include "src/plan/launch_layout.h"
#include "src/program/forward.h"
#include "src/support/log.h"

namespace vecc::cuda {
namespace {

// Numbers that a block computes while others would wait.
constexpr std::uint64_t kMostOfPart = 12'000;
// Of the time of a graph, as predicted: parts add gradients up in another order, and take more
// memory.
constexpr double kWorth = 0.85;
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

// What is planned: forward, or with gradients, in one run.
struct Planned {
  Program program;
  PlanOptions options;
};
std::optional<Planned> to_plan(const Program& forward, bool with_gradients) {
  if (!with_gradients) return Planned{forward, {}};
  auto both = native::make_gradient_program(forward);
  if (!both) return std::nullopt;
  Planned planned{std::move(both->program), {}};
  for (const auto& gradient : both->gradients) {
    if (gradient) planned.options.kept.push_back(*gradient);
  }
  return planned;
}

// Microseconds.
double predict_graph(const Planned& planned, const ScheduleCoefficients& coefficients,
                     const Target& target) {
  const Plan plan = make_plan(planned.program, for_gpu(planned.options, target));
  return predict_time(count_graph(plan, list_stages(plan)), coefficients);
}
double predict_parts(const Planned& planned, const ScheduleCoefficients& coefficients,
                     const Target& target) {
  const Plan plan = make_plan(planned.program, for_gpu_parts(planned.options, target));
  const std::vector<StageLaunches> stages = list_stages(plan);
  const auto phases = find_phases(plan, stages.front(), target.multiprocessors);
  if (!phases) return std::numeric_limits<double>::infinity();
  return predict_time(count_parts(plan, stages, *phases, target.multiprocessors), coefficients);
}

}  // namespace

std::optional<SampleParts> arrange_parts(const Program& program, const AskedLaunch& asked,
                                         const ScheduleCoefficients& coefficients,
                                         const Target& target, bool with_gradients) {
  const bool by_choice = asked.launch == CudaLaunch::Auto;
  if (!by_choice && asked.launch != CudaLaunch::Parts) return std::nullopt;
  if (!is_forward(program)) return std::nullopt;
  const std::uint64_t most = kMostOfPart * target.multiprocessors;
  if (by_choice && stored_elements(program) > most) return std::nullopt;
  const std::uint32_t count = asked.blocks == 0 ? target.multiprocessors : asked.blocks;
  auto parts = split_by_samples(program, count, by_choice ? most : kMostAsked);
  if (!parts || !by_choice) return parts;
  const auto whole = to_plan(program, with_gradients);
  const auto split = to_plan(parts->program, with_gradients);
  if (!whole || !split) return std::nullopt;
  const double graph = predict_graph(*whole, coefficients, target);
  const double in_parts = predict_parts(*split, coefficients, target);
  log_debug(fmt::format("cuda: {} takes {:.1f} us as a graph, {:.1f} in {} parts",
                        with_gradients ? "forward and backward" : "forward", graph, in_parts,
                        parts->parts));
  if (in_parts < kWorth * graph) return parts;
  return std::nullopt;
}

bool may_run_in_parts(const Program& program, const AskedLaunch& asked, bool arranged) {
  const bool by_choice = arranged && asked.launch == CudaLaunch::Auto;
  if (!by_choice && asked.launch != CudaLaunch::Parts) return false;
  return stored_elements(program) < kMostStored;
}

}  // namespace vecc::cuda
