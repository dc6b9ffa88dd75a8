#include "backends/cuda/cuda_executable.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/cuda/arrange_parts.h"
#include "backends/cuda/choose_schedule.h"
#include "src/plan/launch_layout.h"

namespace vecc::cuda {

Plan make_device_plan(const native::GradientProgram& program, const ExecutionOptions& options) {
  return native::make_verified_plan(program.program,
                                    for_gpu(native::plan_options(options, program)));
}

namespace {

// The Plan and how it is to be run. In parts if that is asked for, or takes less time: the Plan is
// then another.
struct ScheduledPlan {
  Plan plan;
  WalkChoice walk;
};
Result<ScheduledPlan> make_scheduled_plan(const native::GradientProgram& program,
                                          const ExecutionOptions& options, bool arranged,
                                          const Device& device) {
  ScheduledPlan scheduled;
  if (may_run_in_parts(program.program, options.cuda_launch, arranged)) {
    scheduled.plan = native::make_verified_plan(
        program.program, for_gpu_parts(native::plan_options(options, program)));
    VECC_TRY(scheduled.walk, choose_walk(scheduled.plan, options.cuda_launch, arranged, device));
    if (!scheduled.walk.phases.empty()) return scheduled;
  }
  scheduled.plan = make_device_plan(program, options);
  VECC_TRY(scheduled.walk,
           choose_walk(scheduled.plan, options.cuda_launch, /*arranged=*/false, device));
  return scheduled;
}

}  // namespace

Result<std::unique_ptr<Executable>> CudaExecutable::make(const Program& program,
                                                         const ExecutionOptions& options,
                                                         std::shared_ptr<Device> device) {
  // Who asks for values means those of the Program that was given.
  std::optional<SampleParts> parts;
  if (!options.keep_values && options.kept.empty()) {
    parts = arrange_parts(program, options.cuda_launch);
  }
  native::GradientProgram whole{parts ? std::move(parts->program) : program, kNone, {}, {}};
  if (options.gradients) {
    VECC_TRY(whole, native::make_gradient_program(whole.program));
  }
  std::unique_ptr<CudaExecutable> made(new CudaExecutable(whole, device));
  DeviceCodeOptions code;
  code.warn = [](const std::string& text) { spdlog::warn("{}", text); };
  DeviceCodeCounts& counts = made->code_counts_;
  try {
    device->use();
    VECC_TRY(ScheduledPlan scheduled,
             make_scheduled_plan(whole, options, options.arranged || parts.has_value(), *device));
    VECC_TRY(auto machine, CudaMachine::make(std::move(device), std::move(scheduled.plan),
                                             std::move(scheduled.walk), code, &counts));
    made->cuda_machine_ = machine.get();
    spdlog::debug("cuda: {} kernels compiled, {} cached, {:.3f} s", counts.compiled, counts.cached,
                  counts.seconds);
    made->bind(whole.program, options, std::move(machine));
    if (parts) made->renumber(std::move(parts->origin), program.ops().size());
  } catch (const DeviceError& error) {
    return error.errors;
  }
  return std::unique_ptr<Executable>(std::move(made));
}

Result<std::vector<double>> CudaExecutable::run_series(const RunSeries& series) {
  return guarded([&]() -> Result<std::vector<double>> {
    SeriesPlaces places;
    VECC_TRY(const DeviceBlock total, scalar_state(series.total));
    places.total = total.at(0);
    for (const RunSeries::Input& input : series.inputs) {
      VECC_TRY_VOID(set_parameter(input.parameter, std::span(input.values).first(1)));
      places.inputs.push_back(parameter_block(input.parameter).at(0));
    }
    std::vector<double> totals;
    for (std::uint32_t first = 0; first < series.runs; first += kLongestSeries) {
      const std::uint32_t runs = std::min(series.runs - first, kLongestSeries);
      total.fill(0);
      std::vector<double> values;
      for (std::uint32_t run = first; run < first + runs; ++run) {
        for (const RunSeries::Input& input : series.inputs) values.push_back(input.values[run]);
      }
      if (first > 0) {
        for (std::size_t i = 0; i < series.inputs.size(); ++i) {
          parameter_block(series.inputs[i].parameter).write(std::span(&values[i], 1));
        }
      }
      cuda_machine_->run_series(places, runs, values, totals);
    }
    note_run();
    return totals;
  });
}

}  // namespace vecc::cuda
