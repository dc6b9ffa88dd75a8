#include "training_curves.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vecc::tools {
namespace {

constexpr std::size_t kMostPoints = 512;  // of a curve: about one a pixel

// Of four neighbours the lowest and the highest, in their order; the first and the last point stay.
void thin_points(std::vector<CurvePoint>& points) {
  std::vector<CurvePoint> kept{points.front()};
  const auto end = points.end() - 1;
  for (auto at = points.begin() + 1; at < end;) {
    const auto next = end - at < 4 ? end : at + 4;
    const auto [lowest, highest] = std::minmax_element(
        at, next, [](const CurvePoint& a, const CurvePoint& b) { return a.value < b.value; });
    kept.push_back(*std::min(lowest, highest));
    if (lowest != highest) kept.push_back(*std::max(lowest, highest));
    at = next;
  }
  kept.push_back(points.back());
  points = std::move(kept);
}

// The element that `is_it` holds of; a new one, `made`, if there is none.
template <class Element, class Condition>
Element& find_or_add(std::vector<Element>& list, Condition is_it, Element made) {
  const auto found = std::ranges::find_if(list, is_it);
  if (found != list.end()) return *found;
  return list.emplace_back(std::move(made));
}

}  // namespace

void TrainingCurves::add(std::string_view metric, std::string_view side, std::uint64_t epoch,
                         double value) {
  if (!std::isfinite(value)) return;
  Chart& chart = find_or_add(charts_, [&](const Chart& c) { return c.metric == metric; },
                             {std::string(metric), {}});
  Curve& curve = find_or_add(chart.curves, [&](const Curve& c) { return c.side == side; },
                             {std::string(side), {}});
  curve.points.push_back({epoch, value});
  if (curve.points.size() > kMostPoints) thin_points(curve.points);
}

}  // namespace vecc::tools
