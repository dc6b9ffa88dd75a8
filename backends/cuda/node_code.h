// The nodes of a Plan's CUDA graphs with their kernels, loaded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/device_code.h"
#include "backends/cuda/graph_nodes.h"

namespace vecc::cuda {

struct NodeCode {
  GraphNode graph;
  std::shared_ptr<DeviceModule> code;

  /// Throws DeviceError.
  [[nodiscard]] CUfunction function() const {
    return code->function(graph.narrow ? "vecc_kernel_16" : "vecc_kernel_32");
  }
};
struct PlanCode {
  std::vector<std::vector<NodeCode>> stages;
  std::vector<std::shared_ptr<DeviceModule>> others;
};

/// Of make_graph_nodes(), and of other units; with `typical` kernels of batches (CudaUnit::Batch).
/// Errors: those of compile_device_code(). Throws DeviceError.
[[nodiscard]] Result<PlanCode> load_plan_code(const std::shared_ptr<Device>& device,
                                              const Plan& plan, LaunchWay way,
                                              std::span<const RowSizes> typical,
                                              std::span<const std::string> others,
                                              const DeviceCodeOptions& options,
                                              DeviceCodeCounts* counts);

}  // namespace vecc::cuda
