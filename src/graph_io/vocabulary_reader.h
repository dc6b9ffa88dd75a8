// Vocabularies on the wire to the NeuronGraph's.
#pragma once

#include "src/graph_io/import_state.h"
#include "vecc/graph.pb.h"

namespace vecc::graph_io {

/// Checks what a chunk of a vocabulary can tell by itself and appends it.
void read_vocabulary(const wire::Vocabulary& wire, ImportState& state);

/// Over the whole graph: distinct names, and uses that fit what they name. Reports ColumnLength (no
/// names), DuplicateName, DanglingReference, ShapeMismatch, InconsistentGroup (an axis that two
/// vocabularies number). Requires a graph without other errors.
void check_vocabularies(ImportState& state);

}  // namespace vecc::graph_io
