// The tables of the page, as HTML.
#pragma once

#include <string>

#include "html_page.h"

namespace vecc::tools {

/// Sizes of both Programs.
[[nodiscard]] std::string size_table(const HtmlInput& input);
/// A line a kind of op: how many before and after, bytes, time; the legend of the pictures.
[[nodiscard]] std::string kind_table(const HtmlInput& input);
/// A line a pass that changed something, with a bar: what is left, what went, what it added.
[[nodiscard]] std::string pass_table(const HtmlInput& input);
/// The presets and paddings that were looked at; empty if nothing was to choose.
[[nodiscard]] std::string candidate_table(const OptimizeReport& report);
/// Every op of the Program after; of a large one the ops that take most.
[[nodiscard]] std::string op_table(const HtmlInput& input);

}  // namespace vecc::tools
