#include "backends/cuda/cuda_executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/plan/launch_layout.h"
#include "src/support/log.h"

namespace vecc::cuda {

Plan make_device_plan(const native::GradientProgram& program, const ExecutionOptions& options,
                      const Target& target) {
  return native::make_verified_plan(program.program,
                                    for_gpu(native::plan_options(options, program), target));
}

Result<std::unique_ptr<Executable>> CudaExecutable::make(const Program& program,
                                                         const ExecutionOptions& options,
                                                         std::shared_ptr<Device> device) {
  native::GradientProgram whole{program, kNone, {}, {}};
  if (options.gradients) {
    VECC_TRY(whole, native::make_gradient_program(program));
  }
  Plan plan = make_device_plan(whole, options, device->target());
  VECC_TRY_VOID(check_thread_memory(plan));
  std::unique_ptr<CudaExecutable> made(new CudaExecutable(whole, device));
  native::forget_backward(whole, program);
  DeviceCodeOptions code;
  code.warn = [](const std::string& text) { log_warning(text); };
  DeviceCodeCounts& counts = made->code_counts_;
  try {
    device->use();
    VECC_TRY(auto machine, CudaMachine::make(std::move(device), std::move(plan), code, &counts));
    made->cuda_machine_ = machine.get();
    log_debug(fmt::format("cuda: {} kernels compiled, {} cached, {:.3f} s", counts.compiled,
                          counts.cached, counts.seconds));
    made->bind(whole.program, options, std::move(machine));
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
