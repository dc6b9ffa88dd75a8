#include "tools/common/device_cost.h"

#include "tools/common/cost_cache.h"

namespace vecc::tools {

Result<DeviceCost> find_device_cost(const Backend& backend, const ExecutionOptions& execution) {
  Program program;
  program.set_sample_count(1);
  program.output(program.fact({1}, 1, Shape::scalar()), Index::slice(0, 1));
  ExecutionOptions plain = execution;
  plain.places = {};
  VECC_TRY(const auto executable, backend.compile(program, plain));
  DeviceCost cost{executable->device_name(), {}};
  const Runner runner = backend.name() == "cuda"          ? Runner::KernelsOnGpu
                        : cost.device.starts_with("cuda") ? Runner::TorchOnGpu
                                                          : Runner::Cpu;
  cost.coefficients =
      load_coefficients(backend.name(), cost.device).value_or(default_coefficients(runner));
  cost.coefficients.runner = runner;
  return cost;
}

}  // namespace vecc::tools
