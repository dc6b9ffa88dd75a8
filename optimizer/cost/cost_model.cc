#include <vector>

#include "optimizer/cost/work.h"
#include "src/calibration/fit_times.h"
#include "vecc/cost.h"

namespace vecc {

CostCoefficients default_coefficients(bool on_gpu, bool prints_kernels) {
  if (on_gpu) return {9.0e-6, 1.5e-6, 2.5e-13, prints_kernels ? 2.5e-13 : 3.5e-12, 4.5e-14};
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
