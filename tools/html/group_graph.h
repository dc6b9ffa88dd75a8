// The collapsed picture of a large Program: boxes by origin instead of by op.
#pragma once

#include <cstdint>

#include "layer_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

/// At most `most_groups` boxes, in the order of their first ops; an edge where a computed value of
/// one is read by the other. Edges are unordered and may be there twice; layers are not placed.
[[nodiscard]] LayerGraph graph_of_groups(const Program& program, std::uint32_t most_groups);

}  // namespace vecc::tools
