// Samples on the wire to the NeuronGraph's.
#pragma once

#include "src/graph_io/import_state.h"
#include "vecc/graph.pb.h"

namespace vecc::graph_io {

/// Checks a chunk of samples and appends it; outputs are resolved at the end.
void read_samples(const wire::Samples& wire, ImportState& state);

/// `sample 12 "id"`, escaped; without an id `sample 12`.
[[nodiscard]] std::string describe_sample(const NeuronGraph& graph, std::uint64_t sample);

/// Reports sample ids that occur twice.
void check_sample_ids(ImportState& state);

}  // namespace vecc::graph_io
