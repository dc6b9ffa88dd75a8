#include "tools/import/models/data_vocabularies.h"

#include <vector>

namespace vecc::tools {
namespace {

StringColumn names_of(const std::vector<std::int64_t>& values) {
  StringColumn names;
  for (const std::int64_t value : values) names.push_back(std::to_string(value));
  return names;
}

}  // namespace

void add_vocabularies(const GraphSet& data, Grounder& out) {
  out.vocabulary(vocabulary::kNodeLabel, names_of(data.node_label_values));
  out.vocabulary(vocabulary::kEdgeLabel, names_of(data.edge_label_values));
  out.vocabulary(vocabulary::kClass, names_of(data.graph_label_values));
}

void add_vocabularies(const TypedGraph& data, Grounder& out) {
  out.vocabulary(vocabulary::kEntity, data.node_names);
  out.vocabulary(vocabulary::kRelation, data.relation_names);
  out.vocabulary(vocabulary::kNodeType, data.node_type_names);
  out.vocabulary(vocabulary::kClass, data.label_names);
}

}  // namespace vecc::tools
