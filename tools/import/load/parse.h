// The loaders over bytes in memory: what loaders.h states, without files. The names of the texts
// are places in errors; results hold copies, never views of the texts.
#pragma once

#include <optional>
#include <string>

#include "tools/import/load/graph_set.h"
#include "tools/import/load/text_file.h"
#include "tools/import/load/triple_layout.h"
#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"
#include "vecc/weights.h"

namespace vecc::tools {

struct TuTexts {
  std::string name;  ///< of the data set
  Text edges;
  Text graph_indicator;
  std::optional<Text> graph_labels;  ///< none: of graphs to predict
  std::optional<Text> node_labels;
  std::optional<Text> edge_labels;
  std::optional<Text> node_attributes;
  std::optional<Text> edge_attributes = {};
  std::optional<Text> graph_attributes = {};
};
[[nodiscard]] Result<GraphSet> parse_tu(const TuTexts& texts);

struct EdgeListTexts {
  std::string name;
  Text edges;
  std::optional<Text> labels;
  std::uint32_t nodes = 0;  ///< stated; 0: one more than the largest number
};
/// Lines `source target [weight]`; weights are attributes of edges.
[[nodiscard]] Result<GraphSet> parse_edge_list(const EdgeListTexts& texts);

/// Nodes are numbered without gaps, so that one number makes as many nodes: a file that does not
/// state how many there are has at most so many.
[[nodiscard]] constexpr std::uint64_t most_unstated_nodes(std::uint64_t edges) {
  return (std::uint64_t{1} << 20) + 64 * edges;
}

/// Classes of nodes from labels, of which those below 0 are none.
void index_classes(const std::vector<std::int64_t>& labels, GraphSet& set);

/// The arrays of an .npz (loaders.h); `place` stands for it in errors.
[[nodiscard]] Result<GraphSet> graph_of_arrays(const WeightFile& file, const std::string& name,
                                               const std::string& place);

/// `whole` is all triples without a split; or each of the others that is there is one part of it.
struct TripleTexts {
  std::string name;
  std::optional<Text> whole;
  std::optional<Text> train;
  std::optional<Text> valid;
  std::optional<Text> test;
  std::optional<Text> types = {};  ///< of entities
  TripleFormat types_format = TripleFormat::Tsv;
};
/// Tables are as `layout` says; one whose format is Auto is of tabs.
[[nodiscard]] Result<TypedGraph> parse_triples(const TripleTexts& texts,
                                               const TripleLayout& layout = {});

struct RdfTexts {
  std::string name;
  Text triples;
  std::optional<Text> train_labels;
  std::optional<Text> test_labels;
};
[[nodiscard]] Result<TypedGraph> parse_rdf(const RdfTexts& texts);

struct HgbTexts {
  std::string name;
  Text nodes;
  Text links;
  std::optional<Text> train_labels;
  std::optional<Text> test_labels;
  std::optional<Text> info;
};
[[nodiscard]] Result<TypedGraph> parse_hgb(const HgbTexts& texts);

}  // namespace vecc::tools
