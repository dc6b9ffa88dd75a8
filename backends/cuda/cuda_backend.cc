#include "backends/cuda/cuda_backend.h"

#include "backends/cuda/cuda_executable.h"
#include "backends/cuda/nvrtc.h"
#include "src/program/value_indices.h"

namespace vecc {
namespace {

Result<void> check_precision(const Program& program, const ExecutionOptions& options,
                             const cuda::Device& device) {
  if (options.precision == MatmulPrecision::Exact) return {};
  const std::string option = "--matmul-precision=" + std::string(text_of(options.precision));
  if (program.dtype() != DType::F32) {
    return Errors(ErrorCode::BackendUnsupported, "cuda",
                  option + " is of f32, found " + std::string(text_of(program.dtype())));
  }
  return check_tensor_cores(device.target(), device.name(), option);
}

class CudaBackend final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "cuda"; }

  [[nodiscard]] Result<void> available(const Device& device) const override {
    if (device.kind == Device::Kind::Cpu) {
      return Errors(ErrorCode::DeviceAbsent, "cuda", "runs on a GPU, found device cpu");
    }
    VECC_TRY(const auto opened, cuda::Device::open(device.index));
    VECC_TRY(const auto compiler, cuda::find_device_compiler());
    for (const int architecture : compiler.architectures) {
      if (architecture == opened->capability()) return {};
    }
    return Errors(ErrorCode::CompilerAbsent, "cuda",
                  "NVRTC " + std::to_string(compiler.major) + "." + std::to_string(compiler.minor) +
                      " does not compile for " + opened->name() + " (compute capability " +
                      capability_text(opened->target().capability) +
                      "): set VECC_NVRTC to another version's library");
  }

  [[nodiscard]] std::vector<std::string> unsupported(const Program& program) const override {
    return value_index_gaps(program);
  }

  [[nodiscard]] bool binds_batches() const override { return true; }
  [[nodiscard]] bool plans_by_typical_batch() const override { return true; }

  [[nodiscard]] Result<std::optional<Target>> find_gpu(const Device& device) const override {
    VECC_TRY(const auto opened, cuda::Device::open(device.index));
    return std::optional<Target>(opened->target());
  }

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY_VOID(available(options.device));
    Errors gaps;
    refuse_value_indices(program, "cuda", gaps);
    if (!gaps.empty()) return gaps;
    return native::compile_checked<cuda::DeviceBlock>(
        program, options, "cuda", [&]() -> Result<std::unique_ptr<Executable>> {
          VECC_TRY(auto device, cuda::Device::open(options.device.index));
          VECC_TRY_VOID(check_precision(program, options, *device));
          return cuda::CudaExecutable::make(program, options, device);
        });
  }
};

}  // namespace

const Backend& cuda_backend() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace vecc
