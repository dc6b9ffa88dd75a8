#include "tests/cuda/compiled_only.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "backends/cuda/cuda_executable.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/device_unit.h"
#include "backends/cuda/launch_layout.h"
#include "backends/reference/program_interpreter.h"

namespace vecc::test {
namespace {

constexpr int kArchitecture = 90;
constexpr std::size_t kShare = 8;  // of all units one in so many, unless VECC_FULL is set

std::vector<std::string> units_of(const Plan& plan) {
  std::vector<std::string> units;
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    std::string text =
        cuda::unit_text(kernel, cuda::choose_slots(plan, launch, cuda_layout(kernel)));
    const bool is_chosen =
        std::getenv("VECC_FULL") != nullptr || std::hash<std::string>{}(text) % kShare == 0;
    if (is_chosen) units.push_back(std::move(text));
  }
  return units;
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
    VECC_TRY_VOID(cuda::compile_device_code(units_of(plan), kArchitecture, {}, nullptr));
    return interpreter_backend().compile(program, options);
  }
};

}  // namespace

const Backend& compiled_only_backend() {
  static const CompiledOnly backend;
  return backend;
}

}  // namespace vecc::test
