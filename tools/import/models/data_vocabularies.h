// The vocabularies of data sets, as graphs carry them.
#pragma once

#include <string_view>

#include "tools/import/ground/grounder.h"
#include "tools/import/load/graph_set.h"
#include "tools/import/load/typed_graph.h"

namespace vecc::tools {

namespace vocabulary {
inline constexpr std::string_view kNodeLabel = "node label";
inline constexpr std::string_view kEdgeLabel = "edge label";
inline constexpr std::string_view kClass = "class";
inline constexpr std::string_view kEntity = "entity";
inline constexpr std::string_view kRelation = "relation";
inline constexpr std::string_view kNodeType = "node type";
}  // namespace vocabulary

/// Gives the graph all vocabularies of the data; what they number is the model's to say.
void add_vocabularies(const GraphSet& data, Grounder& out);
void add_vocabularies(const TypedGraph& data, Grounder& out);

}  // namespace vecc::tools
