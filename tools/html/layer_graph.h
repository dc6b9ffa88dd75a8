// The graph that a picture shows: boxes of lines, one line an op or, where those are too many, one
// line for all ops of a kind in a group.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vecc/program.h"

namespace vecc::tools {

struct BoxLine {
  std::string text;            ///< "%3 segment sum", "linear x 2,000"; data: not escaped
  std::string size;            ///< "207 x 10x1", "3,456 rows"; may be empty
  std::string tooltip;         ///< what there is no room for
  OpKind kind = OpKind::Fact;  ///< decides the colour
};
struct GraphBox {
  std::string title;           ///< a group's name; empty for ops
  std::string title_note;      ///< "x 1,000 levels", a line below; may be empty
  std::vector<BoxLine> lines;  ///< each is read by the next, or stands before the op that reads it
  std::uint32_t layer = 0;     ///< below every box that it reads, but for edges back
  bool loops = false;          ///< a level of this group reads the level before it
};
struct LayerGraph {
  std::vector<GraphBox> boxes;
  /// From what is read to its reader, ascending, each once. An edge back, to an earlier box
  /// (from > to), is there only if collapsed: groups of a recursion read each other.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  bool collapsed = false;
};

/// A box a chain of ops (each the only reader of the one before) with the weights and facts that
/// only the chain reads, if those are at most `most_lines` lines. Else a box a group (the note of
/// its ops; what has none belongs to its first reader), a line a kind of op. Where those groups are
/// too many, the groups of one name up to its colon; and where these are, runs of neighbours.
/// Linear in the Program's size.
[[nodiscard]] LayerGraph layer_graph(const Program& program, std::uint32_t most_lines);

/// An SVG element: layers from top to bottom, boxes of a layer ordered to cross few edges. Its
/// colours are the page's, by class.
[[nodiscard]] std::string draw_graph(const LayerGraph& graph);

}  // namespace vecc::tools
