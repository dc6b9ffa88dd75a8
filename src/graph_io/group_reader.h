// A chunk of a group on the wire to columns of the NeuronGraph.
#pragma once

#include "src/graph_io/import_state.h"
#include "vecc/graph.pb.h"

namespace vecc::graph_io {

/// Checks all that a chunk can tell by itself and appends it; what it refers to is resolved at the
/// end. A chunk with an error is left out, but its ids are known.
void read_group(const wire::Group& wire, ImportState& state);

}  // namespace vecc::graph_io
