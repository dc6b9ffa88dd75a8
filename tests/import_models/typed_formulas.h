// The formulas of docs/architectures.md for typed graphs as plain loops over vectors: no neurons,
// no sorted edges.
#pragma once

#include <string_view>
#include <vector>

#include "tests/import_models/typed_case.h"

namespace vecc::test {

/// One vector a node.
using NodeValues = std::vector<std::vector<double>>;

/// The last layer's values.
[[nodiscard]] NodeValues evaluate_formula(std::string_view model, const tools::TypedGraph& data,
                                          const tools::TypedOptions& options,
                                          const NamedWeights& weights);

}  // namespace vecc::test
