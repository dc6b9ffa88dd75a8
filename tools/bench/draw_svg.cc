// The chart of repeated runs: a panel a comparison, a column a way to run, a dot a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/support/quantity_text.h"
#include "timed_runs.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr double kColumnWidth = 34;
constexpr double kPlotHeight = 220;
constexpr double kLabelHeight = 130;  // names of the columns, turned
constexpr double kTitleHeight = 30;
constexpr double kAxisWidth = 64;
constexpr double kPanelHeight = kTitleHeight + kPlotHeight + kLabelHeight;
constexpr std::size_t kMostDots = 60;  // of a column: its first runs, then evenly spaced ones

// The decades of time that a panel spans.
struct TimeAxis {
  double low = 0;
  double high = 1;

  [[nodiscard]] double y(double seconds) const {
    const double at = (std::log10(std::max(seconds, 1e-9)) - low) / (high - low);
    return kTitleHeight + kPlotHeight * (1 - at);
  }
};

TimeAxis axis_of(const ChartPanel& panel) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const ChartColumn& column : panel.columns) {
    for (const double seconds : column.series.seconds) {
      least = std::min(least, seconds);
      most = std::max(most, seconds);
    }
  }
  if (!(most > 0)) return {};
  const double low = std::floor(std::log10(std::max(least, 1e-9)));
  return {low, std::max(low + 1, std::ceil(std::log10(most)))};
}

std::string draw_axis(const TimeAxis& axis, double width) {
  std::string text;
  for (double decade = axis.low; decade <= axis.high; ++decade) {
    const double seconds = std::pow(10, decade);
    text += fmt::format(
        "<line x1='{0}' x2='{1}' y1='{2:.1f}' y2='{2:.1f}' class='grid'/>"
        "<text x='{3}' y='{4:.1f}' class='tick' text-anchor='end'>{5}</text>\n",
        kAxisWidth, width, axis.y(seconds), kAxisWidth - 6, axis.y(seconds) + 4,
        text_of_seconds(seconds));
  }
  return text;
}

std::string draw_dots(const TimedRuns& series, const TimeAxis& axis, double left) {
  std::string text;
  const std::size_t count = series.seconds.size();
  const std::size_t shown = std::min(count, kMostDots);
  for (std::size_t k = 0; k < shown; ++k) {
    const bool first_runs = k < shown / 2 || count == shown;
    const std::size_t run =
        first_runs ? k : shown / 2 + (k - shown / 2) * (count - shown / 2) / (shown - shown / 2);
    const double x = left + 4 +
                     (kColumnWidth - 8) * static_cast<double>(k) /
                         static_cast<double>(std::max<std::size_t>(shown, 2) - 1);
    text += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='1.8' class='{}'/>", x,
                        axis.y(series.seconds[run]), run < series.warmup ? "warm" : "steady");
  }
  return text + "\n";
}

std::string draw_column(const ChartColumn& column, const TimeAxis& axis, double left) {
  const double median = column.series.steady().median;
  const double y = axis.y(median);
  const double middle = left + kColumnWidth / 2;
  const double bottom = kTitleHeight + kPlotHeight;
  return fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' class='{}'/>\n",
                     left + 2, y, kColumnWidth - 4, std::max(0.0, bottom - y),
                     column.peer ? "peer" : "vecc") +
         draw_dots(column.series, axis, left) +
         fmt::format(
             "<text x='{0:.1f}' y='{1:.1f}' class='value' transform='rotate(-90 {0:.1f} "
             "{1:.1f})'>{2}</text><text x='{3:.1f}' y='{4:.1f}' class='name' "
             "text-anchor='end' transform='rotate(-55 {3:.1f} {4:.1f})'>{5}</text>\n",
             middle + 4, bottom - 4, text_of_seconds(median), middle + 4, bottom + 14,
             escape_html(column.name));
}

double width_of(const ChartPanel& panel) {
  return kAxisWidth + kColumnWidth * static_cast<double>(panel.columns.size()) + 10;
}

std::string draw_panel(const ChartPanel& panel, double top) {
  const TimeAxis axis = axis_of(panel);
  std::string text =
      fmt::format("<g transform='translate(0 {})'><text x='{}' y='18' class='title'>{}</text>\n",
                  top, kAxisWidth, escape_html(panel.title));
  text += draw_axis(axis, width_of(panel));
  double left = kAxisWidth;
  for (const ChartColumn& column : panel.columns) {
    text += draw_column(column, axis, left);
    left += kColumnWidth;
  }
  return text + "</g>\n";
}

}  // namespace

std::string draw_svg(const std::vector<ChartPanel>& panels) {
  double width = 300;
  for (const ChartPanel& panel : panels) width = std::max(width, width_of(panel));
  const double height = kPanelHeight * static_cast<double>(panels.size()) + 20;
  std::string text = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}'>\n"
      "<style>text{{font:11px sans-serif;fill:#222}}.title{{font:bold 13px sans-serif}}"
      ".grid{{stroke:#ddd}}.vecc{{fill:#9ec5e8}}.peer{{fill:#f2c28b}}.steady{{fill:#123}}"
      ".warm{{fill:none;stroke:#c33}}.value{{font-size:10px}}.name{{font-size:10px}}</style>\n"
      "<rect width='100%' height='100%' fill='white'/>\n",
      width, height);
  double top = 0;
  for (const ChartPanel& panel : panels) {
    text += draw_panel(panel, top);
    top += kPanelHeight;
  }
  return text + fmt::format(
                    "<text x='{}' y='{}'>bars: medians; red circles: warm-up; dots: "
                    "runs after it</text>\n</svg>\n",
                    kAxisWidth, height - 6);
}

}  // namespace vecc::tools
