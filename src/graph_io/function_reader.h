// A group's function on the wire to a NeuronFunction.
#pragma once

#include <optional>
#include <string>

#include "src/graph_io/import_state.h"
#include "vecc/graph.pb.h"

namespace vecc::graph_io {

/// Index of the function in NeuronGraph::functions (equal functions once); none after reporting
/// UnknownFunction, ParameterRange or ProgramSyntax.
[[nodiscard]] std::optional<std::uint32_t> read_function(const wire::Function& wire,
                                                         const std::string& place,
                                                         ImportState& state);

}  // namespace vecc::graph_io
