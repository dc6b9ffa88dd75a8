// Places of messages about a graph.
#pragma once

#include <string>

#include "vecc/neuron_graph.h"

namespace vecc {

/// `group 3 "layer_1"`: the file's id and the head predicate, escaped.
[[nodiscard]] std::string describe_group(const NeuronGroup& group);

}  // namespace vecc
