// Other groups for the neurons of a graph.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::vectorizer {

/// In place of a group's id: it gets one that no other has.
inline constexpr std::uint64_t kFoundGroup = std::numeric_limits<std::uint64_t>::max();

struct Grouping {
  std::vector<NeuronGroup> groups;      ///< id, class, names; some may have no neurons
  std::vector<std::uint32_t> group_of;  ///< by neuron; neurons of a group share kind and shape
};

/// Puts neurons into these groups, numbered by their first neurons. Ranges are split and joined;
/// columns stay where they are.
void regroup(NeuronGraph& graph, Grouping grouping);

}  // namespace vecc::vectorizer
