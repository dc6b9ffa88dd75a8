// Random sets of small graphs, and the architectures over them as plain loops: an implementation of
// docs/architectures.md that shares nothing with the grounded one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/import/models/models.h"

namespace vecc::test {

using tools::GraphSet;
using tools::GraphSetOptions;

/// `graphs` graphs of 1 to 8 nodes with isolated nodes and self loops among them, 3 node labels, 2
/// attributes, 2 edge labels, an attribute of edges; graph labels 0 .. classes-1.
[[nodiscard]] GraphSet random_graph_set(std::uint32_t graphs, std::uint32_t classes,
                                        std::uint32_t seed);

using Vector = std::vector<double>;

/// The weights of a grounded graph by table name; matrices row-major.
struct WeightsByName {
  std::vector<std::string> names;
  std::vector<Vector> values;
  [[nodiscard]] const Vector& operator[](const std::string& name) const;
};

/// The output of every graph, or node where the nodes are samples. `options.layers` is not 0,
/// features are given.
[[nodiscard]] std::vector<Vector> evaluate_naively(const std::string& model, const GraphSet& data,
                                                   const GraphSetOptions& options,
                                                   const WeightsByName& weights);

}  // namespace vecc::test
