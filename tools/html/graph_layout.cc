// Rows, places that edges pass, order and positions. See graph_layout.h.
#include "graph_layout.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cmath>
#include <cstdint>

namespace vecc::tools {
namespace {

constexpr double kMargin = 12;
constexpr double kGapX = 18;
constexpr double kGapY = 34;
constexpr double kPassWidth = 4;        // of an edge that passes a row
constexpr std::size_t kMostAcross = 6;  // boxes of a row
constexpr int kSweeps = 12;
// What gives way: a long edge is straight before a box is centred, and a box that reads nothing
// (weights) stands aside of the values that it is joined with.
constexpr double kPassWeight = 4;
constexpr double kSourceWeight = 0.05;

// A box, or the place at which an edge passes a row. Nodes 0 .. boxes-1 are the boxes.
struct Node {
  std::uint32_t row = 0;
  double width = kBoxWidth;
  double x = 0;  // its middle
  double weight = 1;
};

class Layout {
 public:
  explicit Layout(const LayerGraph& graph) : graph_(graph), nodes_(graph.boxes.size()) {
    make_rows();
    for (const auto& [from, to] : graph.edges) paths_.push_back(make_path(from, to));
    std::ranges::sort(links_);
    links_.erase(std::unique(links_.begin(), links_.end()), links_.end());
    above_.resize(nodes_.size());
    below_.resize(nodes_.size());
    for (const auto& [upper, lower] : links_) {
      above_[lower].push_back(upper);
      below_[upper].push_back(lower);
    }
    for (std::uint32_t b = 0; b < graph_.boxes.size(); ++b) {
      if (above_[b].empty()) nodes_[b].weight = kSourceWeight;
    }
    for (auto& row : rows_) spread(row);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (auto& row : rows_) move(row, above_, sweep < kSweeps / 2);
      for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
        move(*row, below_, sweep < kSweeps / 2);
      }
    }
    for (auto& row : rows_) move_between(row);
  }

  [[nodiscard]] GraphLayout result() {
    GraphLayout layout;
    double left = 0;
    double right = 0;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      left = n == 0 ? nodes_[n].x - nodes_[n].width / 2
                    : std::min(left, nodes_[n].x - nodes_[n].width / 2);
      right = n == 0 ? nodes_[n].x + nodes_[n].width / 2
                     : std::max(right, nodes_[n].x + nodes_[n].width / 2);
    }
    for (Node& node : nodes_) node.x += kMargin - left;
    layout.width = right - left + 2 * kMargin;
    set_tops();
    layout.height = (top_.empty() ? 0 : top_.back() + height_.back()) + kMargin;
    for (std::uint32_t b = 0; b < graph_.boxes.size(); ++b) {
      layout.boxes.push_back({nodes_[b].x - kBoxWidth / 2, top_[nodes_[b].row]});
    }
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      layout.edges.push_back(path_points(graph_.edges[e], paths_[e]));
    }
    return layout;
  }

 private:
  using Row = std::vector<std::uint32_t>;

  // A layer of many boxes is several rows: no box of a layer reads another one of it.
  void make_rows() {
    std::vector<Row> layers;
    for (std::uint32_t b = 0; b < graph_.boxes.size(); ++b) {
      if (graph_.boxes[b].layer >= layers.size()) layers.resize(graph_.boxes[b].layer + 1);
      layers[graph_.boxes[b].layer].push_back(b);
    }
    for (const Row& layer : layers) {
      const std::size_t rows = (layer.size() + kMostAcross - 1) / kMostAcross;
      for (std::size_t r = 0; r < rows; ++r) {
        const auto at = [&](std::size_t i) {
          return layer.begin() + static_cast<std::ptrdiff_t>(i * layer.size() / rows);
        };
        for (auto box = at(r); box != at(r + 1); ++box) {
          nodes_[*box].row = static_cast<std::uint32_t>(rows_.size());
        }
        rows_.emplace_back(at(r), at(r + 1));
      }
    }
  }

  // The nodes between an edge's ends, from the upper to the lower one. All edges of one upper box
  // pass a row at one place; edges back at another one.
  Row make_path(std::uint32_t from, std::uint32_t to) {
    Row passes;
    const std::uint32_t upper = nodes_[from].row < nodes_[to].row ? from : to;
    const std::uint32_t lower = upper == from ? to : from;
    std::uint32_t last = upper;
    for (std::uint32_t row = nodes_[upper].row + 1; row < nodes_[lower].row; ++row) {
      const std::uint64_t key = (std::uint64_t{upper} << 32) | (row * 2 + (upper == to ? 1 : 0));
      const auto [entry, is_new] =
          passes_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
      if (is_new) {
        nodes_.push_back({row, kPassWidth, 0, kPassWeight});
        rows_[row].push_back(entry->second);
      }
      links_.emplace_back(last, entry->second);
      last = entry->second;
      passes.push_back(last);
    }
    if (nodes_[upper].row != nodes_[lower].row) links_.emplace_back(last, lower);
    return passes;
  }

  // From left to right in the order of the row, centred at 0.
  void spread(const Row& row) {
    double x = 0;
    for (const std::uint32_t n : row) {
      nodes_[n].x = x + nodes_[n].width / 2;
      x += nodes_[n].width + kGapX;
    }
    for (const std::uint32_t n : row) nodes_[n].x -= (x - kGapX) / 2;
  }

  void move(Row& row, const std::vector<Row>& joined, bool reorder) {
    std::vector<double> wanted(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) wanted[i] = middle(row[i], joined[row[i]]);
    if (reorder) {
      std::vector<std::pair<double, std::uint32_t>> order(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) order[i] = {wanted[i], row[i]};
      std::ranges::stable_sort(order, {}, &std::pair<double, std::uint32_t>::first);
      for (std::size_t i = 0; i < row.size(); ++i) {
        wanted[i] = order[i].first;
        row[i] = order[i].second;
      }
    }
    place(row, wanted);
  }

  void move_between(const Row& row) {
    std::vector<double> wanted;
    for (const std::uint32_t n : row) {
      Row joined = above_[n];
      joined.insert(joined.end(), below_[n].begin(), below_[n].end());
      wanted.push_back(middle(n, joined));
    }
    place(row, wanted);
  }

  [[nodiscard]] double middle(std::uint32_t node, const Row& joined) const {
    double sum = 0;
    double weight = 0;
    for (const std::uint32_t n : joined) {
      sum += nodes_[n].x * nodes_[n].weight;
      weight += nodes_[n].weight;
    }
    return joined.empty() ? nodes_[node].x : sum / weight;
  }

  // As near to the wanted places as order and widths allow, by least squares: isotonic regression
  // of wanted place minus offset (pool adjacent violators).
  void place(const Row& row, const std::vector<double>& wanted) {
    struct Pool {
      double sum, weight;
      std::size_t count;
    };
    std::vector<Pool> pools;
    std::vector<double> offsets;
    double offset = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Node& node = nodes_[row[i]];
      offset += node.width / 2;
      offsets.push_back(offset);
      offset += node.width / 2 + kGapX;
      pools.push_back({(wanted[i] - offsets[i]) * node.weight, node.weight, 1});
      while (pools.size() > 1) {
        const Pool last = pools.back();
        Pool& before = pools[pools.size() - 2];
        if (before.sum / before.weight <= last.sum / last.weight) break;
        before = {before.sum + last.sum, before.weight + last.weight, before.count + last.count};
        pools.pop_back();
      }
    }
    std::size_t i = 0;
    for (const Pool& pool : pools) {
      for (std::size_t k = 0; k < pool.count; ++k, ++i) {
        nodes_[row[i]].x = pool.sum / pool.weight + offsets[i];
      }
    }
  }

  void set_tops() {
    height_.assign(rows_.size(), 0);
    for (std::uint32_t b = 0; b < graph_.boxes.size(); ++b) {
      double& height = height_[nodes_[b].row];
      height = std::max(height, box_height(graph_.boxes[b]));
    }
    double top = kMargin;
    for (const double height : height_) {
      top_.push_back(top);
      top += height + kGapY;
    }
  }

  [[nodiscard]] EdgePath path_points(std::pair<std::uint32_t, std::uint32_t> edge,
                                     const Row& passes) const {
    EdgePath path;
    const auto [from, to] = edge;
    path.back = nodes_[from].row >= nodes_[to].row;
    const std::uint32_t upper = path.back ? to : from;
    const std::uint32_t lower = path.back ? from : to;
    const auto row_top = [&](std::uint32_t n) { return top_[nodes_[n].row]; };
    path.points.push_back({nodes_[upper].x, row_top(upper) + box_height(graph_.boxes[upper])});
    if (nodes_[upper].row == nodes_[lower].row) {  // below both
      path.points.push_back({nodes_[lower].x, row_top(lower) + box_height(graph_.boxes[lower])});
      return path;
    }
    // A box that is lower than its row's highest: straight to the end of the row.
    path.points.push_back({nodes_[upper].x, row_top(upper) + height_[nodes_[upper].row]});
    for (const std::uint32_t pass : passes) {
      path.points.push_back({nodes_[pass].x, row_top(pass)});
      path.points.push_back({nodes_[pass].x, row_top(pass) + height_[nodes_[pass].row]});
    }
    path.points.push_back({nodes_[lower].x, row_top(lower)});
    return path;
  }

  const LayerGraph& graph_;
  std::vector<Node> nodes_;
  std::vector<Row> rows_;   // nodes from left to right
  std::vector<Row> paths_;  // by edge: the places it passes
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links_;
  std::vector<Row> above_, below_;  // by node: what it is joined with in the rows next to it
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> passes_;
  std::vector<double> top_, height_;  // by row
};

}  // namespace

double box_height(const GraphBox& box) {
  return (box.title.empty() ? 0 : kTitleHeight) + (box.title_note.empty() ? 0 : kLineHeight) +
         kLineHeight * static_cast<double>(box.lines.size()) + 4;
}

GraphLayout lay_out(const LayerGraph& graph) {
  return Layout(graph).result();
}

}  // namespace vecc::tools
