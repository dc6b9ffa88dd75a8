// Reciprocal relations (Lacroix et al. 2018): each triple also the other way round.
#pragma once

#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"

namespace vecc::tools {

/// Behind each edge (h, r, t) comes (t, r^-1, h), of the same split; the inverse of r is named so,
/// and numbered behind all relations, or as it is where the names have it. Errors: Usage (an edge's
/// relation is an inverse already), LimitEdges.
[[nodiscard]] Result<void> add_inverse_triples(TypedGraph& data);

}  // namespace vecc::tools
