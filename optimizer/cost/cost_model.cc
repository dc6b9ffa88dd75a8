#include <vector>

#include "optimizer/cost/work.h"
#include "src/calibration/fit_times.h"
#include "vecc/cost.h"

namespace vecc {

CostCoefficients default_coefficients(Runner runner) {
  constexpr CostCoefficients kKernelsOnGpu{9.0e-6,  1.5e-6,  2.5e-13,
                                           2.5e-13, 4.5e-14, Runner::KernelsOnGpu};
  CostCoefficients torch_on_gpu = kKernelsOnGpu;
  torch_on_gpu.runner = Runner::TorchOnGpu;
  torch_on_gpu.batch_byte = 3.5e-12;  // kernels read a matrix a row as all else
  switch (runner) {
    case Runner::Cpu: break;
    case Runner::TorchOnGpu: return torch_on_gpu;
    case Runner::KernelsOnGpu: return kKernelsOnGpu;
  }
  return {0, 2.5e-6, 2.0e-10, 2.0e-10, 2.0e-10};
}

double predict_seconds(const Work& work, const CostCoefficients& c) {
  return c.run + c.launch * work.launches + c.byte * work.bytes + c.batch_byte * work.batch_bytes +
         c.multiply_add * work.multiply_adds;
}

double predict_seconds(const Program& program, const CostCoefficients& coefficients) {
  return predict_seconds(work_of(program), coefficients);
}

CostCoefficients fit_coefficients(std::span<const MeasuredWork> runs) {
  std::vector<MeasuredTime> times;
  for (const auto& [work, seconds] : runs) {
    times.push_back(
        {{1, work.launches, work.bytes, work.batch_bytes, work.multiply_adds}, seconds});
  }
  const std::vector<double> c = fit_times(5, times);
  return {c[0], c[1], c[2], c[3], c[4]};
}

}  // namespace vecc
