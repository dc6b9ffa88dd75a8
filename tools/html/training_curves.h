// The curves of a training, for the page: loss and metrics by epoch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vecc::tools {

struct CurvePoint {
  std::uint64_t epoch = 0;
  double value = 0;
};
struct Curve {
  std::string side;  ///< "train", "validation"
  std::vector<CurvePoint> points;
};
struct Chart {
  std::string metric;  ///< "loss", "accuracy"
  std::vector<Curve> curves;
};

class TrainingCurves {
 public:
  /// Epochs come in their order. Numbers that are not finite are left out. Of a long training what
  /// one would see is kept: of neighbours the lowest and the highest, a few hundred in all.
  void add(std::string_view metric, std::string_view side, std::uint64_t epoch, double value);
  [[nodiscard]] const std::vector<Chart>& charts() const { return charts_; }

  std::uint64_t best_epoch = 0;  ///< of the lowest validation loss; 0: none
  std::string words;             ///< how it went, in a line; data: it is escaped

 private:
  std::vector<Chart> charts_;
};

/// Charts as SVG elements: a line a side, its values where the mouse is, the best epoch marked.
/// Colours are the page's, by class.
[[nodiscard]] std::string draw_charts(const TrainingCurves& curves);

}  // namespace vecc::tools
