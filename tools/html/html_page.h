// --emit=html: one self-contained page about a Program, before and after the optimizer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "training_curves.h"
#include "vecc/optimize.h"
#include "vecc/program.h"

namespace vecc::tools {

struct HtmlInput {
  std::string title;  ///< the graph's file; data: it is escaped
  const Program& before;
  const Program& after;
  const OptimizeReport& report;
  /// Seconds of each op of `after` in a measured run; empty: nothing was measured.
  std::vector<double> op_seconds;
  /// Of a training before that; null: there was none.
  const TrainingCurves* training = nullptr;
};

/// A training's curves, sizes, the rows that each pass leaves as a waterfall, both layer graphs as
/// SVG (a large one collapsed by group), and every op with rows, shape, bytes and its share of the
/// time. No script, nothing from elsewhere; every name is escaped.
[[nodiscard]] std::string html_page(const HtmlInput& input);

/// The layer graph alone, as an element with a style sheet of its own, for another page
/// (a notebook). `title` is data: it is escaped.
[[nodiscard]] std::string html_picture(std::string_view title, const Program& program);

}  // namespace vecc::tools
