// Places of messages about a graph.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/neuron_graph.h"

namespace vecc::graph {

/// `group 3 "layer_1"`: the file's id and the head predicate, escaped.
[[nodiscard]] std::string describe_group(const NeuronGroup& group);

/// Behind the message of the first neuron: how many of its group have the same; empty for none.
[[nodiscard]] std::string count_of_others(std::uint64_t neurons);

}  // namespace vecc::graph
