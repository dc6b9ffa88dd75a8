// What stands for the torch backend when vecc is built without libtorch.
#include "backends/torch/torch_backend.h"

namespace vecc::libtorch {
namespace {

Errors absent() {
  return Errors(ErrorCode::BackendAbsent, "torch",
                "built without libtorch: tools/run --torch, or configure with -DVECC_TORCH=ON");
}

class TorchStub final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "torch"; }
  [[nodiscard]] Result<void> available(const Device&) const override { return absent(); }
  [[nodiscard]] std::vector<std::string> unsupported(const Program&) const override {
    return {absent().list().front().message};
  }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(
      const Program&, const ExecutionOptions&) const override {
    return absent();
  }
};

}  // namespace

const Backend& torch_backend() {
  static const TorchStub backend;
  return backend;
}

}  // namespace vecc::libtorch
