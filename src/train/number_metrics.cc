#include "src/train/number_metrics.h"

#include <cmath>

namespace vecc::training {

void NumberMetrics::add(std::span<const double> output, std::span<const double> target) {
  if (elements_.size() < output.size()) elements_.resize(output.size());
  for (std::size_t i = 0; i < output.size(); ++i) {
    Element& e = elements_[i];
    const double error = output[i] - target[i];
    e.count += 1;
    e.absolute += std::abs(error);
    e.squared += error * error;
    const double distance = target[i] - e.mean;
    e.mean += distance / e.count;
    e.spread += distance * (target[i] - e.mean);
  }
}

void NumberMetrics::finish(Metrics& metrics) const {
  if (elements_.empty()) return;
  double absolute = 0;
  double root = 0;
  double explained = 0;
  double spread_count = 0;
  for (const Element& e : elements_) {
    absolute += e.absolute / e.count;
    root += std::sqrt(e.squared / e.count);
    if (e.spread == 0) continue;
    explained += 1 - e.squared / e.spread;
    ++spread_count;
  }
  const auto count = static_cast<double>(elements_.size());
  if (!std::isfinite(absolute) || !std::isfinite(root)) return;
  metrics.mae = absolute / count;
  metrics.rmse = root / count;
  if (spread_count > 0) metrics.r2 = explained / spread_count;
}

}  // namespace vecc::training
