#include "backends/torch/torch_backend.h"

#include <torch/version.h>

#include <utility>

#include "backends/torch/torch_executable.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

class TorchBackend final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "torch"; }

  [[nodiscard]] Result<void> available(const Device& device) const override {
    if (device.kind != Device::Kind::Cuda) return {};
    const std::uint32_t count = count_torch_gpus();
    if (device.index < count) return {};
    const std::string asked = "cuda:" + std::to_string(device.index) + " is not there: libtorch " +
                              TORCH_VERSION + " sees " + std::to_string(count) +
                              (count == 1 ? " CUDA device" : " CUDA devices");
    return Errors(ErrorCode::DeviceAbsent, "torch",
                  count > 0 ? asked
                            : asked +
                                  "; use --device=cpu, or check the driver (nvidia-smi) and "
                                  "that this torch was built for CUDA");
  }

  [[nodiscard]] std::vector<std::string> unsupported(const Program& program) const override {
    std::vector<std::string> gaps;
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const OpKind kind = program.op(id).kind();
      if (kind != OpKind::State && kind != OpKind::Update) continue;
      gaps.push_back("%" + std::to_string(id) + " " + std::string(text_of(kind)) +
                     ": torch changes nothing between runs");
    }
    return gaps;
  }

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY_VOID(available(options.device));
    Errors errors;
    for (std::string& gap : unsupported(program)) {
      errors.add(ErrorCode::BackendUnsupported, "torch", std::move(gap));
    }
    for (ValueId id = 0; options.gradients && id < program.ops().size(); ++id) {
      if (program.op(id).kind() != OpKind::Vjp) continue;
      errors.add(ErrorCode::BackendUnsupported, "torch",
                 "%" + std::to_string(id) + " vjp: no gradients of a Program with vjps");
    }
    for (const Parameter& parameter : program.parameters()) {
      if (parameter.values) continue;
      errors.add(ErrorCode::MissingValues, "torch",
                 "parameter \"" + escape_terminal(parameter.name) + "\" has no values");
    }
    if (!errors.empty()) return errors;
    return make_torch_executable(program, options);
  }
};

}  // namespace

const Backend& torch_backend() {
  static const TorchBackend backend;
  return backend;
}

}  // namespace vecc
