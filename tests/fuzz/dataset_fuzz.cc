// Any bytes as the files of a data set. The first byte says which loader reads them, the record
// separator 1e stands between files; optional files that the bytes do not reach are not there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/import/load/inverse_triples.h"
#include "tools/import/load/parse.h"

namespace {

using vecc::Result;
using vecc::tools::GraphSet;
using vecc::tools::Text;
using vecc::tools::TypedGraph;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class Column>
void require_below(const Column& column, std::uint64_t limit) {
  for (const auto value : column) require(value < limit);
}

template <class T>
bool succeeds(const Result<T>& result) {
  if (result) return true;
  require(!result.error().list().empty());
  (void)result.error().text();
  return false;
}

// What every accepted data set fulfils; the models rely on it.
void check(const Result<GraphSet>& set) {
  if (!succeeds(set)) return;
  require(set->target.size() == set->edge_count());
  require_below(set->source, set->node_count());
  require_below(set->target, set->node_count());
  require(set->graph_labels.empty() || set->graph_labels.size() == set->graph_count());
  require_below(set->graph_labels, set->graph_label_values.size());
  require(set->node_labels.empty() || set->node_labels.size() == set->node_count());
  require_below(set->node_labels, set->node_label_values.size());
  require(set->edge_labels.empty() || set->edge_labels.size() == set->edge_count());
  require_below(set->edge_labels, set->edge_label_values.size());
  require(set->node_attributes.size() == std::uint64_t{set->attribute_count} * set->node_count());
  for (std::uint32_t g = 0; g < set->graph_count(); ++g) {
    require(set->node_begin[g] <= set->node_begin[g + 1]);
  }
}

void check(const Result<TypedGraph>& graph) {
  if (!succeeds(graph)) return;
  require(graph->target.size() == graph->edge_count());
  require(graph->relation.size() == graph->edge_count());
  require_below(graph->source, graph->node_count);
  require_below(graph->target, graph->node_count);
  require_below(graph->relation, graph->relation_count());
  require(graph->node_names.size() == graph->node_count);
  require(graph->node_type.empty() || graph->node_type.size() == graph->node_count);
  require_below(graph->node_type, graph->node_type_names.size());
  require(graph->edge_split.empty() || graph->edge_split.size() == graph->edge_count());
  std::vector<std::uint64_t> nodes(graph->node_type_names.size());
  for (std::uint32_t node = 0; node < graph->node_count; ++node) ++nodes[graph->type_of(node)];
  require(graph->features.empty() || graph->features.size() == nodes.size());
  for (std::size_t type = 0; type < graph->features.size(); ++type) {
    const vecc::tools::NodeFeatures& features = graph->features[type];
    require(features.values.size() == features.dim * nodes[type]);
  }
  for (const vecc::tools::NodeLabel& label : graph->labels) {
    require(label.node < graph->node_count && label.label < graph->label_names.size());
  }
}

class Files {
 public:
  explicit Files(std::string_view bytes) : rest_(bytes) {}

  std::optional<Text> next_if_there(const char* name) {
    if (!has_more_) return std::nullopt;
    const std::size_t end = rest_.find('\x1e');
    const std::string_view bytes = rest_.substr(0, end);
    has_more_ = end != std::string_view::npos;
    rest_.remove_prefix(has_more_ ? end + 1 : rest_.size());
    return Text{name, bytes};
  }
  Text next(const char* name) { return next_if_there(name).value_or(Text{name, ""}); }

 private:
  std::string_view rest_;
  bool has_more_ = true;
};

// Triples behind a header, and types of their entities.
vecc::Result<vecc::tools::TypedGraph> parse_typed_triples(Files& files,
                                                          vecc::tools::TripleFormat format) {
  vecc::tools::TripleTexts texts{"fuzz", files.next("whole"), {}, {}, {}};
  texts.types = files.next_if_there("types");
  texts.types_format = format;
  auto graph = vecc::tools::parse_triples(texts, {format, true, {1, 3, 2}, {}});
  if (graph) {
    if (auto inverse = vecc::tools::add_inverse_triples(*graph); !inverse) return inverse.error();
  }
  return graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vecc::tools;
  if (size == 0) return 0;
  // The braces below take files from left to right.
  Files files(std::string_view(reinterpret_cast<const char*>(data), size).substr(1));
  switch (data[0] % 7) {
    case 0:
      check(parse_tu({"fuzz", files.next("A"), files.next("indicator"),
                      files.next_if_there("graphs"), files.next_if_there("nodes"),
                      files.next_if_there("edges"), files.next_if_there("attributes")}));
      break;
    case 1: check(parse_triples({"fuzz", files.next("whole"), {}, {}, {}})); break;
    case 2:
      check(parse_triples({"fuzz",
                           {},
                           files.next("train"),
                           files.next_if_there("valid"),
                           files.next_if_there("test")}));
      break;
    case 3:
      check(parse_rdf(
          {"fuzz", files.next("nt"), files.next_if_there("train"), files.next_if_there("test")}));
      break;
    case 4:
      check(
          parse_hgb({"fuzz", files.next("nodes"), files.next("links"), files.next_if_there("train"),
                     files.next_if_there("test"), files.next_if_there("info")}));
      break;
    case 5: check(parse_typed_triples(files, TripleFormat::Csv)); break;
    default: check(parse_typed_triples(files, TripleFormat::Space));
  }
  return 0;
}
