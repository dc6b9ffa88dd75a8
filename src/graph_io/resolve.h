// The end of an import: what chunks could not know is resolved over the whole graph.
#pragma once

#include "src/graph_io/import_state.h"

namespace vecc::graph_io {

/// Turns the file's ids into dense ones in inputs, weights, offsets, learnable facts and samples,
/// and fills input_begin. Reports DuplicateId, DanglingReference, ShapeMismatch (a learnable fact's
/// declared shape against its weight's). Afterwards, without errors, the graph is complete except
/// for the check for cycles.
void resolve_references(ImportState& state);

}  // namespace vecc::graph_io
