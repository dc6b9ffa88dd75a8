#include "html_page.h"

#include <fmt/format.h>

#include "html_style.h"
#include "html_tables.h"
#include "layer_graph.h"
#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::uint32_t kMostLines = 240;  // of a picture: more are not readable

// How much of the Program a picture shows.
std::string words_of(const Program& program, const LayerGraph& graph) {
  const std::string ops = text_of_count(program.ops().size(), "op");
  if (!graph.collapsed) return ops;
  return ops + ", collapsed to " + text_of_count(graph.boxes.size(), "group");
}

std::string picture(const char* title, const Program& program) {
  const LayerGraph graph = layer_graph(program, kMostLines);
  return fmt::format("<figure><h3>{}: {}</h3><div class='scroll'>{}</div></figure>\n", title,
                     words_of(program, graph), draw_graph(graph));
}

std::string page_style() {
  return fmt::format(
      ":root{{color-scheme:light dark;{}}}\n@media(prefers-color-scheme:dark){{:root{{{}}}}}{}{}",
      kLightColours, kDarkColours, kPageStyle, kGraphStyle);
}

std::string pictures(const HtmlInput& input) {
  const std::string after = picture("after", input.after);
  std::string text =
      "<p class='note'>From top to bottom: each box is read by the boxes that its lines lead down "
      "to; within a box, each op by the next one. A weight or fact stands before the only op that "
      "reads it. Colours as in the table above; more about an op where the mouse is.";
  if (after.find("class='back'") != std::string::npos) {
    text += " Dashed: read by the next level of a recursion.";
  }
  text += "</p>\n<div class='two'>\n";
  if (!input.report.runs.empty()) text += picture("before", input.before);
  return text + after + "</div>\n";
}

std::string choices(const OptimizeReport& report) {
  if (report.runs.empty()) return "";
  return fmt::format("<p class='note'>lift-gathers: {}, padding: {}</p>\n",
                     escape_html(report.gather_preset), text_of(report.pad_mode)) +
         candidate_table(report);
}

std::string training(const TrainingCurves& curves) {
  std::string text = "<h2 id='training'>Training</h2>\n<p class='note'>" +
                     escape_html(escape_terminal(curves.words, 1000)) +
                     (curves.words.empty() ? "" : ". ") +
                     "By epoch, with the weights after it; numbers where the mouse is.";
  if (curves.best_epoch > 0) text += " Best: the lowest validation loss.";
  return text + "</p>\n<div class='two'>\n" + draw_charts(curves) + "</div>\n";
}

}  // namespace

std::string html_page(const HtmlInput& input) {
  const std::string title = escape_html(escape_terminal(input.title, 300));
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
      "content='width=device-width'><title>{0}</title><style>{1}</style></head><body>\n"
      "<h1>{0}</h1>\n<nav>{2}<a href='#sizes'>sizes</a><a href='#passes'>passes</a>"
      "<a href='#graph'>layer graph</a><a href='#ops'>ops</a></nav>\n",
      title, page_style(), input.training ? "<a href='#training'>training</a>" : "");
  if (input.training != nullptr) text += training(*input.training);
  text += "<h2 id='sizes'>Sizes</h2>\n<div class='two'><div class='wide'>" + size_table(input) +
          "</div><div class='wide'>" + kind_table(input) + "</div></div>\n";
  text += "<h2 id='passes'>Rows, pass by pass</h2>\n<div class='wide'>" + pass_table(input) +
          "</div>\n" + choices(input.report);
  text += "<h2 id='graph'>The layer graph</h2>\n" + pictures(input);
  text += "<h2 id='ops'>Ops</h2>\n<div class='wide'>" + op_table(input) + "</div>\n";
  return text + "</body></html>\n";
}

std::string html_picture(std::string_view title, const Program& program) {
  const LayerGraph graph = layer_graph(program, kMostLines);
  // A notebook's own style may be dark where the system is not: the picture is always light.
  return fmt::format(
      "<div class='vecc'><style>.vecc{{color-scheme:light;{}}}{}</style>\n"
      "<p>{}: {}</p>\n<div style='overflow:auto;max-height:40em;background:var(--panel)'>{}</div>"
      "</div>\n",
      kLightColours, kGraphStyle, escape_html(escape_terminal(title, 300)),
      words_of(program, graph), draw_graph(graph));
}

}  // namespace vecc::tools
