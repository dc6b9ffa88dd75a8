// A layer graph as SVG: boxes of coloured lines, edges as curves. Colours are the page's
// (html_style.h).
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "graph_layout.h"
#include "layer_graph.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kLineLetters = 35;   // that fit into a box at 11 px
constexpr std::size_t kTitleLetters = 32;  // bold

// Starts of letters in UTF-8.
std::size_t count_letters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string shortened(std::string_view text, std::size_t letters) {
  if (count_letters(text) <= letters) return std::string(text);
  std::size_t cut = 0;
  for (std::size_t seen = 0; cut < text.size(); ++cut) {
    const bool starts = (static_cast<unsigned char>(text[cut]) & 0xC0) != 0x80;
    if (starts && seen++ + 1 == std::max<std::size_t>(letters, 2)) break;
  }
  return std::string(text.substr(0, cut)) + "\xE2\x80\xA6";
}

// From point to point: straight down through a row of boxes, a curve between two rows.
std::string draw_edge(const EdgePath& path) {
  std::string d = fmt::format("M{:.1f} {:.1f}", path.points[0].x, path.points[0].y);
  for (std::size_t i = 1; i < path.points.size(); ++i) {
    const Point& a = path.points[i - 1];
    const Point& b = path.points[i];
    const double bend = b.y > a.y ? (b.y - a.y) / 2 : 24;  // two boxes of one row: below both
    if (a.x == b.x) {
      d += fmt::format("V{:.1f}", b.y);
    } else {
      d += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y + bend, b.x,
                       b.y > a.y ? b.y - bend : b.y + bend, b.x, b.y);
    }
  }
  return fmt::format("<path d='{}'{}/>\n", d, path.back ? " class='back'" : "");
}

// `text` at the left, `right` at the right; the text gives way.
std::string draw_texts(const Point& at, std::string_view text, std::string_view right,
                       std::size_t letters) {
  const std::size_t taken = right.empty() ? 0 : count_letters(right) + 2;
  std::string result =
      fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>", at.x + 6, at.y,
                  escape_html(shortened(text, letters > taken ? letters - taken : 2)));
  if (right.empty()) return result;
  return result + fmt::format("<text class='size' x='{:.1f}' y='{:.1f}'>{}</text>",
                              at.x + kBoxWidth - 6, at.y, escape_html(right));
}

std::string draw_line(const Point& at, const BoxLine& line) {
  return fmt::format(
      "<g><title>{}</title><rect class='k-{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' "
      "height='{:.1f}'/>{}</g>\n",
      escape_html(line.tooltip), text_of(line.kind), at.x + 2, at.y, kBoxWidth - 4, kLineHeight - 1,
      draw_texts({at.x, at.y + 12}, line.text, line.size, kLineLetters));
}

std::string draw_box(const Point& at, const GraphBox& box) {
  std::string text = fmt::format(
      "<rect class='box' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' rx='4'/>\n", at.x,
      at.y, kBoxWidth, box_height(box));
  double y = at.y + 2.5;
  if (!box.title.empty()) {
    text += fmt::format("<g class='title'><title>{}</title>{}</g>\n", escape_html(box.title),
                        draw_texts({at.x, y + 13}, box.title, "", kTitleLetters));
    y += kTitleHeight;
  }
  if (!box.title_note.empty()) {
    text += draw_texts({at.x, y + 10}, box.title_note, "", kLineLetters);
    y += kLineHeight;
  }
  for (const BoxLine& line : box.lines) {
    text += draw_line({at.x, y}, line);
    y += kLineHeight;
  }
  return text;
}

// From a box's bottom around its right side to its top.
std::string draw_loop(const Point& at, const GraphBox& box) {
  const double right = at.x + kBoxWidth;
  const double bottom = at.y + box_height(box);
  return fmt::format(
      "<path class='back' d='M{0:.1f} {1:.1f}C{0:.1f} {2:.1f} {3:.1f} {2:.1f} {3:.1f} {1:.1f}"
      "V{4:.1f}C{3:.1f} {5:.1f} {0:.1f} {5:.1f} {0:.1f} {4:.1f}'/>\n",
      right - 16, bottom, bottom + 12, right + 8, at.y, at.y - 12);
}

}  // namespace

std::string draw_graph(const LayerGraph& graph) {
  const GraphLayout layout = lay_out(graph);
  std::string text = fmt::format(
      "<svg class='graph' role='img' width='{0:.0f}' height='{1:.0f}' viewBox='0 0 {0:.0f} "
      "{1:.0f}'>\n<g class='edges'>\n",
      layout.width, layout.height);
  for (const EdgePath& path : layout.edges) text += draw_edge(path);
  for (std::uint32_t b = 0; b < graph.boxes.size(); ++b) {
    if (graph.boxes[b].loops) text += draw_loop(layout.boxes[b], graph.boxes[b]);
  }
  text += "</g>\n";
  for (std::uint32_t b = 0; b < graph.boxes.size(); ++b) {
    text += draw_box(layout.boxes[b], graph.boxes[b]);
  }
  return text + "</svg>\n";
}

}  // namespace vecc::tools
