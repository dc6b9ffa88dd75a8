#include "tests/cuda/compiled_only.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "backends/cuda/device_code.h"
#include "backends/cuda/device_unit.h"
#include "backends/cuda/scheduled_plan.h"
#include "backends/reference/program_interpreter.h"
#include "src/kernel/print_walk.h"
#include "src/plan/launch_layout.h"

namespace vecc::test {
namespace {

constexpr int kArchitecture = 90;
constexpr std::size_t kShare = 8;  // of all units one in so many, unless VECC_FULL is set

bool is_chosen(const std::string& text) {
  return std::getenv("VECC_FULL") != nullptr || std::hash<std::string>{}(text) % kShare == 0;
}

Result<void> compile_units(const Plan& plan) {
  std::vector<std::string> kernels;
  std::vector<std::string> parts;
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    const std::uint32_t slots = choose_slots(plan, launch, cuda_layout(kernel, CudaUnit::Kernel));
    for (const CudaUnit unit : {CudaUnit::Kernel, CudaUnit::Merged}) {
      kernels.push_back(cuda::unit_text(kernel, slots, unit));
    }
    parts.push_back(cuda::step_unit(kernel, slots).text);
  }
  std::erase_if(kernels, std::not_fn(is_chosen));
  std::erase_if(parts, std::not_fn(is_chosen));
  parts.push_back(print_walk({}, plan.dtype));
  kernels.push_back(print_end_run(plan.dtype));
  VECC_TRY_VOID(
      cuda::compile_device_code(kernels, cuda::CodeKind::Kernels, kArchitecture, {}, nullptr));
  VECC_TRY_VOID(
      cuda::compile_device_code(parts, cuda::CodeKind::Parts, kArchitecture, {}, nullptr));
  return {};
}

class CompiledOnly final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return interpreter_backend().name(); }
  [[nodiscard]] Result<void> available(const Device&) const override { return {}; }
  [[nodiscard]] std::vector<std::string> unsupported(const Program& program) const override {
    return unsupported_by_plan(program);
  }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    native::GradientProgram whole{program, kNone, {}, {}};
    if (options.gradients) {  // of what has a backward pass
      if (auto made = native::make_gradient_program(program)) whole = std::move(*made);
    }
    const Plan plan = cuda::make_device_plan(whole, options);
    VECC_TRY_VOID(compile_units(plan));
    return interpreter_backend().compile(program, options);
  }
};

}  // namespace

const Backend& compiled_only_backend() {
  static const CompiledOnly backend;
  return backend;
}

}  // namespace vecc::test
