#include "tests/cuda/compiled_only.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "backends/cuda/cuda_executable.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/device_unit.h"
#include "backends/reference/program_interpreter.h"
#include "src/kernel/print_cuda.h"
#include "src/plan/launch_layout.h"

namespace vecc::test {
namespace {

constexpr int kArchitectures[] = {80, 90};
constexpr std::size_t kShare = 24;  // of all units one in so many, unless VECC_FULL is set

constexpr std::size_t kUnitShare = 6;  // of those that call tensor cores

bool uses_units(const std::string& text) {
  return text.find("tensor_memory<") != std::string::npos;
}
bool is_chosen(const std::string& text) {
  const std::size_t share = uses_units(text) ? kUnitShare : kShare;
  return std::getenv("VECC_FULL") != nullptr || std::hash<std::string>{}(text) % share == 0;
}

// For the last architecture; what tensor cores compute for all.
Result<void> compile_texts(const std::vector<std::string>& texts) {
  for (const int architecture : kArchitectures) {
    std::vector<std::string> chosen;
    for (const std::string& text : texts) {
      if (uses_units(text) || architecture == kArchitectures[1]) chosen.push_back(text);
    }
    VECC_TRY_VOID(cuda::compile_device_code(chosen, architecture, {}, nullptr));
  }
  return {};
}

Result<void> compile_units(const Plan& plan) {
  std::vector<std::string> kernels;
  LaunchSchedules schedules(plan);
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    const LaunchSchedule schedule = schedules.of(launch);
    const std::size_t turn = kernels.size() / 3 % 3;
    const cuda::ProgrammaticLaunch programmatic{.waits_last = turn == 1,
                                                .releases_last = turn == 2};
    for (const CudaUnit unit : {CudaUnit::Kernel, CudaUnit::Merged, CudaUnit::Batch}) {
      kernels.push_back(cuda::unit_text(kernel, *schedule.schedule, unit, programmatic));
    }
  }
  std::erase_if(kernels, std::not_fn(is_chosen));
  kernels.push_back(print_end_run(plan.dtype));
  kernels.push_back(print_set_numbers(plan.dtype));
  kernels.push_back(print_make_batch(plan.dtype));
  return compile_texts(kernels);
}

class CompiledOnly final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override {
    return reference::interpreter_backend().name();
  }
  [[nodiscard]] Result<void> available(const Device&) const override { return {}; }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    native::GradientProgram whole{program, kNone, {}, {}};
    if (options.gradients) {  // of what has a backward pass
      if (auto made = native::make_gradient_program(program)) whole = std::move(*made);
    }
    const Plan plan = cuda::make_device_plan(whole, options, default_gpu());
    VECC_TRY_VOID(compile_units(plan));
    ExecutionOptions exact = options;
    exact.precision = MatmulPrecision::Exact;
    return reference::interpreter_backend().compile(program, exact);
  }
};

}  // namespace

const Backend& compiled_only_backend() {
  static const CompiledOnly backend;
  return backend;
}

}  // namespace vecc::test
