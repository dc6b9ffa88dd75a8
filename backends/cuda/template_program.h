// A template's row kernels as code of a GPU, and the runs of what was bound to them.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/cuda/device_block.h"
#include "backends/cuda/step_code.h"
#include "src/bind/bound_program.h"
#include "vecc/template.h"

namespace vecc::cuda {

class GraphMemory;

class CudaTemplateProgram final : public binding::BoundProgram {
 public:
  /// Errors: those of StepCode::add(); DeviceAbsent, DeviceFailure, OutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<TemplateProgram>> make(
      std::shared_ptr<const binding::TemplateData> data, const TemplateCompileOptions& options);

  Result<void> run(BoundGraph& bound) override;
  [[nodiscard]] Counts counts() const override;

 private:
  /// The template's weights on the GPU, as a graph has them.
  struct Weights {
    binding::WeightRows::Block block;
    DeviceMemory memory;
  };

  CudaTemplateProgram(std::shared_ptr<const binding::TemplateData> data,
                      std::shared_ptr<Device> device, DType dtype);
  [[nodiscard]] Result<void> prepare(binding::RowLaunches& launches) override;
  void upload_weights(const binding::RowLaunches& launches);
  void start(const GraphMemory& memory) const;

  std::shared_ptr<Device> device_;
  StepCode code_;
  std::shared_ptr<const Weights> weights_;
};

}  // namespace vecc::cuda
