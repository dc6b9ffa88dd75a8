#include "tools/import/load/loaders.h"
#include "tools/import/load/parse.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kEdges = "_A.txt";

}  // namespace

Result<GraphSet> load_tu(const std::string& directory) {
  VECC_TRY(const std::string edges_name,
           find_one_file(directory, {kEdges}, "the edges of a TUDataset"));
  const std::string name = edges_name.substr(0, edges_name.size() - kEdges.size());
  const auto path = [&](std::string_view ending) {
    return join_path(directory, name + std::string(ending));
  };
  VECC_TRY(const TextFile graphs,
           read_text_file(path("_graph_indicator.txt"), "a graph's number a line"));
  VECC_TRY(const std::optional<TextFile> graph_labels,
           read_if_there(path("_graph_labels.txt"), "a graph's label a line"));
  VECC_TRY(const TextFile edges, read_text_file(path(kEdges), "an edge a line"));
  VECC_TRY(const std::optional<TextFile> node_labels,
           read_if_there(path("_node_labels.txt"), "a node's label a line"));
  VECC_TRY(const std::optional<TextFile> edge_labels,
           read_if_there(path("_edge_labels.txt"), "an edge's label a line"));
  VECC_TRY(const std::optional<TextFile> attributes,
           read_if_there(path("_node_attributes.txt"), "a node's attributes a line"));
  VECC_TRY(const std::optional<TextFile> edge_attributes,
           read_if_there(path("_edge_attributes.txt"), "an edge's attributes a line"));
  VECC_TRY(const std::optional<TextFile> targets,
           read_if_there(path("_graph_attributes.txt"), "a graph's numbers a line"));
  return parse_tu({name, edges.text(), graphs.text(), text_of(graph_labels), text_of(node_labels),
                   text_of(edge_labels), text_of(attributes), text_of(edge_attributes),
                   text_of(targets)});
}

}  // namespace vecc::tools
