// Metrics of numbers: errors by element.
#pragma once

#include <span>
#include <vector>

#include "vecc/metrics.h"

namespace vecc::training {

class NumberMetrics {
 public:
  void add(std::span<const double> output, std::span<const double> target);
  /// Fills in what there is.
  void finish(Metrics& metrics) const;

 private:
  struct Element {
    double count = 0;
    double absolute = 0;  // sum of |o - t|
    double squared = 0;   // sum of (o - t)^2
    double mean = 0;      // of the targets so far,
    double spread = 0;    // and the sum of their squared distances from it
  };
  std::vector<Element> elements_;
};

}  // namespace vecc::training
