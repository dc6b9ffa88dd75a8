#include "backends/cuda/cuda_backend.h"

#include <new>
#include <stdexcept>

#include "backends/cuda/cuda_executable.h"
#include "backends/cuda/nvrtc.h"

namespace vecc {
namespace {

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
                      std::to_string(opened->capability() / 10) + "." +
                      std::to_string(opened->capability() % 10) +
                      "): set VECC_NVRTC to another version's library");
  }

  [[nodiscard]] std::vector<std::string> unsupported(const Program& program) const override {
    return unsupported_by_plan(program);
  }

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY_VOID(available(options.device));
    Errors errors;
    check_stored<cuda::DeviceBlock>(program, options, "cuda", errors);
    native::check_gradients(program, options, "cuda", errors);
    if (!errors.empty()) return errors;
    VECC_TRY(auto device, cuda::Device::open(options.device.index));
    try {
      return cuda::CudaExecutable::make(program, options, std::move(device));
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {  // more than a vector can ever hold
    }
    return Errors(ErrorCode::OutOfMemory, "cuda",
                  "no memory on the host for values of " +
                      std::to_string(statistics(program).value_bytes) + " bytes at most");
  }
};

}  // namespace

const Backend& cuda_backend() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace vecc
