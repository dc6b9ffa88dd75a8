// Vectorizer: NeuronGraph to Program (the generic scheme, -O0).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc {

struct VectorizeOptions {
  DType dtype = DType::F32;
  bool keep_neuron_map = false;
  /// That classify neurons and write their rows where there are many, at most 64; 0: as many as the
  /// machine has. The result is the same for any number.
  std::uint32_t threads = 0;
  /// Called now and then with the neurons done so far; may be empty.
  std::function<void(std::uint64_t neurons)> progress;
};

/// Where each neuron's value is: rows row[n] .. of value layer_value[layer[n]].
/// A softmax or sparsemax over members is kept one row a member (`member_rows`): neuron n then
/// occupies row_count(n) rows there, and its value is those rows as a column.
struct NeuronMap {
  std::vector<std::uint32_t> layer;
  std::vector<std::uint32_t> row;
  std::vector<ValueId> layer_value;
  std::vector<bool> member_rows;
};

struct VectorizeReport {
  std::uint32_t layers = 0;
  std::uint32_t recursive_components = 0;
  std::uint32_t levels = 0;         ///< of recursive components
  std::uint32_t merged_groups = 0;  ///< groups that went into another group's layer
};

struct Vectorized {
  Program program;
  NeuronMap neurons;  ///< empty unless keep_neuron_map
  VectorizeReport report;
};

/// Errors: ShapeMismatch, FunctionDomain, ParameterRange, FanIn with the neuron's place; LimitRows.
[[nodiscard]] Result<Vectorized> vectorize(const NeuronGraph& graph,
                                           const VectorizeOptions& options = {});

}  // namespace vecc
