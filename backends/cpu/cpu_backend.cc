#include "backends/cpu/cpu_backend.h"

#include "backends/common/only_exact.h"
#include "backends/cpu/cpu_executable.h"
#include "backends/cpu/host_compiler.h"

namespace vecc {
namespace {

class CpuBackend final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "cpu"; }

  [[nodiscard]] Result<void> available(const Device& device) const override {
    if (device.kind == Device::Kind::Cuda) {
      return Errors(ErrorCode::DeviceAbsent, "cpu",
                    "runs on the cpu, found device cuda:" + std::to_string(device.index));
    }
    const auto compiler = cpu::find_host_compiler();
    // Without one, kernels are interpreted; what VECC_CXX names must be one.
    const bool is_absent =
        !compiler && compiler.error().list().front().code == ErrorCode::CompilerAbsent;
    if (!compiler && !is_absent) return compiler.error();
    return {};
  }

  [[nodiscard]] bool binds_batches() const override { return true; }

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY_VOID(available(options.device));
    VECC_TRY_VOID(check_exact(options, "cpu"));
    return native::compile_checked<cpu::NativeBlock>(
        program, options, "cpu", [&] { return cpu::CpuExecutable::make(program, options); });
  }
};

}  // namespace

const Backend& cpu_backend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace vecc
