// One graph in a file: which kind it is, and both ways of its edges.
#include <utility>

#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/repeated_edges.h"
#include "tools/import/load/text_checks.h"
#include "vecc/weights.h"

namespace vecc::tools {
namespace {

/// Adds every edge but self loops reversed, with its label and attributes.
Result<void> add_reversed(GraphSet& graph, const std::string& place) {
  const std::size_t count = graph.source.size();
  if (2 * std::uint64_t{count} > kMaxRows) {
    return Errors(ErrorCode::LimitEdges, place, "more edges both ways than 32 bits number");
  }
  const std::size_t columns = graph.edge_attribute_count;
  for (std::size_t e = 0; e < count; ++e) {
    if (graph.source[e] == graph.target[e]) continue;
    const std::uint32_t source = graph.source[e];
    graph.source.push_back(graph.target[e]);
    graph.target.push_back(source);
    if (!graph.edge_labels.empty()) graph.edge_labels.push_back(graph.edge_labels[e]);
    for (std::size_t k = 0; k < columns; ++k) {
      const double value = graph.edge_attributes[e * columns + k];
      graph.edge_attributes.push_back(value);
    }
  }
  return {};
}

Result<GraphSet> read_arrays(const std::string& path, const GraphFileLayout& layout) {
  if (!layout.labels.empty()) {
    return Errors(ErrorCode::Usage, "--labels", "is for lists of edges: an .npz has y and masks");
  }
  if (layout.nodes > 0) {
    return Errors(ErrorCode::Usage, "--nodes", "is for lists of edges: an .npz has num_nodes");
  }
  VECC_TRY(const WeightFile file, read_weights(path));
  return graph_of_arrays(file, name_of_data(path), escape_path(path));
}

Result<GraphSet> read_lines(const std::string& path, const GraphFileLayout& layout) {
  VECC_TRY(const TextFile edges, read_text_file(path, "an edge a line"));
  std::optional<TextFile> labels;
  if (!layout.labels.empty()) {
    VECC_TRY(labels, read_text_file(layout.labels, "a node and its class a line"));
  }
  return parse_edge_list({name_of_data(path), edges.text(), text_of(labels), layout.nodes});
}

}  // namespace

Result<GraphSet> load_graph(const std::string& path, const GraphFileLayout& layout) {
  VECC_TRY(GraphSet graph,
           path.ends_with(".npz") ? read_arrays(path, layout) : read_lines(path, layout));
  if (layout.undirected) VECC_TRY_VOID(add_reversed(graph, escape_path(path)));
  drop_repeated_edges(graph);
  return graph;
}

}  // namespace vecc::tools
