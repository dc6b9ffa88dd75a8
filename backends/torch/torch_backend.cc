#include "backends/torch/torch_backend.h"

#include <torch/version.h>

#include <utility>

#include "backends/common/only_exact.h"
#include "backends/torch/torch_executable.h"
#include "src/program/value_indices.h"
#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc::libtorch {
namespace {

// Each op is a call of libtorch that keeps its tensors and, with gradients, its part of the tape:
// some 5 KB and 30 us an op.
constexpr std::size_t kMostOps = 1'000'000;

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
    std::vector<std::string> gaps = value_index_gaps(program);
    const std::size_t ops = program.ops().size();
    if (ops <= kMostOps) return gaps;
    gaps.push_back(text_of_count(ops, "op") + ", more than " + text_of_count(kMostOps, "op") +
                   ": each is a call of libtorch that keeps some 5 KB; --backend=cpu runs them in "
                   "a tenth of the time and memory");
    return gaps;
  }

  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program& program, const ExecutionOptions& options) const override {
    VECC_TRY_VOID(available(options.device));
    VECC_TRY_VOID(check_exact(options, "torch"));
    return make_torch_executable(program, options);
  }
};

}  // namespace

const Backend& torch_backend() {
  static const TorchBackend backend;
  return backend;
}

}  // namespace vecc::libtorch
