#include "src/train/sample_weights.h"

#include <algorithm>

namespace vecc::training {

void set_sample_weights(std::span<const SampleRow> rows, std::span<const double> weights,
                        double divisor, std::span<std::uint32_t> samples,
                        std::span<Batch::Weights> to) {
  for (Batch::Weights& of : to) {
    of.rows.clear();
    of.values.clear();
  }
  std::ranges::sort(samples, {}, [&](std::uint32_t s) { return rows[s].row; });
  for (const std::uint32_t s : samples) {
    to[rows[s].output].rows.push_back(rows[s].row);
    to[rows[s].output].values.push_back(weights[s] / divisor);
  }
}

}  // namespace vecc::training
