#include "backends/cuda/scheduled_plan.h"

#include <utility>

#include "backends/cuda/arrange_parts.h"
#include "backends/cuda/asked_launch.h"
#include "backends/native/plan_executable.h"
#include "src/plan/launch_layout.h"

namespace vecc::cuda {

Plan make_device_plan(const native::GradientProgram& program, const ExecutionOptions& options,
                      const Target& target) {
  return native::make_verified_plan(program.program,
                                    for_gpu(native::plan_options(options, program), target));
}

namespace {

// The Program as it is: in parts, if it was `arranged` for them or that is asked for.
Result<ScheduledPlan> schedule_whole(const Program& program, const ExecutionOptions& options,
                                     const Device& device, const AskedLaunch& asked,
                                     bool arranged) {
  const ScheduleCoefficients coefficients = coefficients_for(asked, device);
  ScheduledPlan scheduled{{program, kNone, {}, {}}, {}, {}, {}};
  if (options.gradients) {
    VECC_TRY(scheduled.whole, native::make_gradient_program(program));
  }
  const native::GradientProgram& whole = scheduled.whole;
  if (may_run_in_parts(whole.program, asked, arranged)) {
    scheduled.plan = native::make_verified_plan(
        whole.program, for_gpu_parts(native::plan_options(options, whole), device.target()));
    VECC_TRY(scheduled.walk, choose_walk(scheduled.plan, asked, arranged, device, coefficients));
    if (!scheduled.walk.phases.empty()) return scheduled;
  }
  scheduled.plan = make_device_plan(whole, options, device.target());
  VECC_TRY(scheduled.walk,
           choose_walk(scheduled.plan, asked, /*arranged=*/false, device, coefficients));
  return scheduled;
}

}  // namespace

Result<ScheduledPlan> schedule_program(const Program& program, const ExecutionOptions& options,
                                       const Device& device) {
  VECC_TRY(const AskedLaunch asked, asked_launch(options.cuda_launch));
  // Who asks for values means those of the Program that was given.
  if (!options.keep_values && options.kept.empty()) {
    if (auto parts = arrange_parts(program, asked, coefficients_for(asked, device), device.target(),
                                   options.gradients)) {
      VECC_TRY(ScheduledPlan scheduled,
               schedule_whole(parts->program, options, device, asked, /*arranged=*/true));
      if (asked.launch == CudaLaunch::Parts || !scheduled.walk.phases.empty()) {
        scheduled.origin = std::move(parts->origin);
        return scheduled;
      }
    }
  }
  return schedule_whole(program, options, device, asked, options.arranged);
}

std::optional<ScheduleCounts> count_schedule(const ScheduledPlan& scheduled) {
  const auto& [stages, shape, phases] = scheduled.walk;
  if (!shape) return count_graph(scheduled.plan, stages);
  if (!phases.empty()) return count_parts(scheduled.plan, stages, phases, shape->blocks);
  if (shape->launch == CudaLaunch::Cluster) return std::nullopt;
  return count_grid(scheduled.plan, stages);
}

}  // namespace vecc::cuda
