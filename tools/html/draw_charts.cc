// The curves of a training as SVG. Colours are the page's (html_style.h).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "chart_axis.h"
#include "src/support/quantity_text.h"
#include "training_curves.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr double kWidth = 560, kHeight = 280;
constexpr double kLeft = 66, kRight = 546, kTop = 40, kBottom = 236;  // of the axes
constexpr std::size_t kFewPoints = 40;                                // each is a visible dot
constexpr double kLegendWidth = 90;

struct Axes {
  ChartAxis epochs;
  ChartAxis values;
  [[nodiscard]] double x(double epoch) const {
    return kLeft + (kRight - kLeft) * epochs.place_of(epoch);
  }
  [[nodiscard]] double y(double value) const {
    return kBottom - (kBottom - kTop) * values.place_of(value);
  }
};

Axes axes_of(const Chart& chart) {
  constexpr double kMost = std::numeric_limits<double>::max();
  double first = kMost, last = -kMost, low = kMost, high = -kMost;
  for (const Curve& curve : chart.curves) {
    for (const CurvePoint& point : curve.points) {
      const auto epoch = static_cast<double>(point.epoch);
      first = std::min(first, epoch);
      last = std::max(last, epoch);
      low = std::min(low, point.value);
      high = std::max(high, point.value);
    }
  }
  return {epoch_axis(first, last), value_axis(low, high)};
}

std::string draw_axes(const Chart& chart, const Axes& axes) {
  std::string text;
  for (const double tick : axes.values.ticks) {
    text += fmt::format(
        "<path class='grid' d='M{:.1f} {:.1f}H{:.1f}'/><text class='tick' x='{:.1f}' "
        "y='{:.1f}'>{}</text>\n",
        kLeft, axes.y(tick), kRight, kLeft - 6, axes.y(tick) + 4, text_of_tick(tick));
  }
  for (const double tick : axes.epochs.ticks) {
    text += fmt::format(
        "<path class='axis' d='M{0:.1f} {1:.1f}v4'/><text class='below' x='{0:.1f}' "
        "y='{2:.1f}'>{3}</text>\n",
        axes.x(tick), kBottom, kBottom + 17, text_of_count(static_cast<std::uint64_t>(tick)));
  }
  text += fmt::format("<path class='axis' d='M{:.1f} {:.1f}V{:.1f}H{:.1f}'/>\n", kLeft, kTop,
                      kBottom, kRight);
  text += fmt::format("<text class='below' x='{:.1f}' y='{:.1f}'>epoch</text>\n",
                      (kLeft + kRight) / 2, kBottom + 35);
  const double middle = (kTop + kBottom) / 2;
  text += fmt::format(
      "<text class='below' x='14' y='{0:.1f}' transform='rotate(-90 14 {0:.1f})'>{1}{2}</text>\n",
      middle, escape_html(chart.metric), axes.values.logarithmic ? " (log scale)" : "");
  return text;
}

std::string draw_legend(const Chart& chart) {
  std::string text;
  double x = kLeft;
  for (const Curve& curve : chart.curves) {
    text += fmt::format(
        "<g class='s-{0}'><path class='curve' d='M{1:.1f} 12h18'/><text x='{2:.1f}' "
        "y='16'>{0}</text></g>\n",
        escape_html(curve.side), x, x + 23);
    x += kLegendWidth;
  }
  return text;
}

std::string draw_curve(const Chart& chart, const Curve& curve, const Axes& axes) {
  std::string line, dots;
  for (const CurvePoint& point : curve.points) {
    const double x = axes.x(static_cast<double>(point.epoch)), y = axes.y(point.value);
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? 'M' : 'L', x, y);
    dots += fmt::format(
        "<circle cx='{:.1f}' cy='{:.1f}' r='{}'><title>epoch {}: {} {} {:.6g}</title></circle>\n",
        x, y, curve.points.size() <= kFewPoints ? 3 : 5, text_of_count(point.epoch),
        escape_html(curve.side), escape_html(chart.metric), point.value);
  }
  return fmt::format("<g class='s-{}{}'><path class='curve' d='{}'/>\n{}</g>\n",
                     escape_html(curve.side), curve.points.size() <= kFewPoints ? " few" : "", line,
                     dots);
}

// A line down at the best epoch, and a ring where the validation curve is then.
std::string draw_best(const Chart& chart, const Axes& axes, std::uint64_t best_epoch) {
  const auto best = static_cast<double>(best_epoch);
  if (best_epoch == 0 || best < axes.epochs.low || best > axes.epochs.high) return "";
  const double x = axes.x(best);
  const bool at_left = x > (kLeft + kRight) / 2;
  std::string text = fmt::format(
      "<g class='best'><title>the lowest validation loss</title>"
      "<path d='M{0:.1f} {1:.1f}V{2:.1f}'/><text class='{3}' x='{4:.1f}' y='{5:.1f}'>best: epoch "
      "{6}</text>",
      x, kTop, kBottom, at_left ? "to-left" : "to-right", x + (at_left ? -5 : 5), kTop - 4,
      text_of_count(best_epoch));
  for (const Curve& curve : chart.curves) {
    if (curve.side != "validation") continue;
    for (const CurvePoint& point : curve.points) {
      if (point.epoch != best_epoch) continue;
      text += fmt::format("<path class='ring' d='M{:.1f} {:.1f}a5 5 0 1 0 0.1 0z'/>", x,
                          axes.y(point.value) - 5);
    }
  }
  return text + "</g>\n";
}

std::string draw_chart(const Chart& chart, std::uint64_t best_epoch) {
  const Axes axes = axes_of(chart);
  std::string text = fmt::format(
      "<svg class='chart' role='img' aria-label='{}' viewBox='0 0 {} {}' width='{}' "
      "height='{}'>\n",
      escape_html(chart.metric + " by epoch"), kWidth, kHeight, kWidth, kHeight);
  text += draw_axes(chart, axes) + draw_legend(chart) + draw_best(chart, axes, best_epoch);
  for (const Curve& curve : chart.curves) text += draw_curve(chart, curve, axes);
  return text + "</svg>\n";
}

}  // namespace

std::string draw_charts(const TrainingCurves& curves) {
  std::string text;
  for (const Chart& chart : curves.charts()) text += draw_chart(chart, curves.best_epoch);
  return text;
}

}  // namespace vecc::tools
