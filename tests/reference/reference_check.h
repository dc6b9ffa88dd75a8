// Neurons evaluated by the reference, for tests.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/graph_builder.h"
#include "vecc/backend.h"

namespace vecc::test {

/// A neuron has this shape and these values, to 1e-12.
inline void expect_neuron(const ReferenceValues& values, NeuronId neuron, Shape shape,
                          const std::vector<double>& expected, const std::string& what = "") {
  EXPECT_EQ(values.shapes[neuron], shape) << what << ": " << values.shapes[neuron].text();
  const auto found = values.value(neuron);
  EXPECT_THAT(std::vector<double>(found.begin(), found.end()),
              testing::Pointwise(testing::DoubleNear(1e-12), expected))
      << what;
}

/// The reference's values; throws with the errors' text if there are any.
inline ReferenceValues evaluate_or_throw(const GraphBuilder& builder) {
  auto values = evaluate_reference(builder.build());
  if (!values) throw std::logic_error(values.error().text());
  return std::move(*values);
}

/// The text of the errors.
inline std::string reference_error(const GraphBuilder& builder) {
  const auto values = evaluate_reference(builder.build());
  return values ? "no error" : values.error().text();
}

}  // namespace vecc::test
