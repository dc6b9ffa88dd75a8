// Shared by the vectorizer's tests: vectorizes, and compares every neuron with the reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vecc/backend.h"
#include "vecc/vectorize.h"

namespace vecc::test {

inline std::size_t count_ops(const Program& program, OpKind kind) {
  return static_cast<std::size_t>(std::count_if(program.ops().begin(), program.ops().end(),
                                                [&](const Op& op) { return op.kind() == kind; }));
}

/// Rows of the first op of a kind; 0 if there is none.
inline std::uint32_t rows_of_first(const Program& program, OpKind kind) {
  for (const Op& op : program.ops()) {
    if (op.kind() == kind) return op.rows;
  }
  return 0;
}

/// Vectorizes; runs the interpreter; every neuron's value equals the reference's.
inline Vectorized check_vectorize(const NeuronGraph& graph) {
  VectorizeOptions options;
  options.dtype = DType::F64;
  options.keep_neuron_map = true;
  auto vectorized = vectorize(graph, options);
  EXPECT_TRUE(vectorized) << vectorized.error().text();
  if (!vectorized) return {Program(DType::F64), {}, {}};
  const auto valid = verify(vectorized->program);
  EXPECT_TRUE(valid) << valid.error().text();
  const auto reference = evaluate_reference(graph);
  EXPECT_TRUE(reference) << reference.error().text();
  ExecutionOptions run_options;
  run_options.keep_values = true;
  auto executable = find_backend("interpreter")->compile(vectorized->program, run_options);
  EXPECT_TRUE(executable) << executable.error().text();
  if (!valid || !reference || !executable) return std::move(*vectorized);
  EXPECT_TRUE((*executable)->run());

  const NeuronMap& map = vectorized->neurons;
  std::vector<std::vector<double>> layers;
  for (const ValueId value : map.layer_value) layers.push_back(*(*executable)->read(value));
  for (NeuronId n = 0; n < graph.neuron_count(); ++n) {
    const auto expected = reference->value(n);
    const std::uint32_t layer = map.layer[n];
    const std::size_t width =
        map.member_rows[layer] ? 1 : vectorized->program.op(map.layer_value[layer]).shape.size();
    const std::size_t first = map.row[n] * width;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(layers[layer].at(first + i), expected[i], 1e-12)
          << graph.describe(n) << ", element " << i;
    }
  }
  return std::move(*vectorized);
}

}  // namespace vecc::test
