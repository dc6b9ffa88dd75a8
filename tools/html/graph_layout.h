// Where the boxes and edges of a layer graph are drawn.
#pragma once

#include <vector>

#include "layer_graph.h"

namespace vecc::tools {

// Of a box, in pixels.
inline constexpr double kBoxWidth = 214;
inline constexpr double kLineHeight = 17;
inline constexpr double kTitleHeight = 20;
[[nodiscard]] double box_height(const GraphBox& box);

struct Point {
  double x = 0;
  double y = 0;
};
struct EdgePath {
  /// From the bottom of what is read to the top of its reader, past the boxes between them: two
  /// points where the edge leaves and enters a row of boxes; all lines within a row are vertical.
  std::vector<Point> points;
  bool back = false;  ///< runs upwards, to an earlier box: `points` are from the reader's top
};
struct GraphLayout {
  double width = 0;
  double height = 0;
  std::vector<Point> boxes;  ///< the upper left corners
  std::vector<EdgePath> edges;
};

/// The layered drawing of Sugiyama, Tagawa and Toda: layers as rows (a layer of many boxes as
/// several), a place in each row that an edge passes, boxes ordered by the middle of what they are
/// joined with, and then moved there as far as their neighbours allow. No random choice.
[[nodiscard]] GraphLayout lay_out(const LayerGraph& graph);

}  // namespace vecc::tools
