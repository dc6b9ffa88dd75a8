// The reference's gradients, for tests.
#pragma once

#include "tests/reference/reference_check.h"

namespace vecc::test {

/// The gradients from those of the samples' outputs, one after another; throws with the errors'
/// text if there are any.
inline ReferenceGradients differentiate_or_throw(const NeuronGraph& graph,
                                                 const std::vector<double>& output_gradients) {
  const auto values = evaluate_reference(graph);
  if (!values) throw std::logic_error(values.error().text());
  auto gradients = differentiate_reference(graph, *values, output_gradients);
  if (!gradients) throw std::logic_error(gradients.error().text());
  return std::move(*gradients);
}

/// To 1e-12.
inline void expect_gradient(std::span<const double> found, const std::vector<double>& expected,
                            const std::string& what = "") {
  EXPECT_THAT(std::vector<double>(found.begin(), found.end()),
              testing::Pointwise(testing::DoubleNear(1e-12), expected))
      << what;
}

}  // namespace vecc::test
