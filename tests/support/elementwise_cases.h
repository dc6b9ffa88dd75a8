// What tests know of elementwise functions, apart from src/function: a formula, and cases by hand.
#pragma once

#include <vector>

#include "vecc/function.h"

namespace vecc::test {

/// An elementwise function as its definition has it, nothing done for large arguments.
[[nodiscard]] double naive_entry(const TransformationSpec& spec, double x);

/// T(x) = y, with the derivative there.
struct ElementwiseCase {
  Transformation function;
  double x;
  double y;
  double slope;
};
/// By hand; tests/function has more, of functions that were there before.
[[nodiscard]] std::vector<ElementwiseCase> elementwise_cases();

}  // namespace vecc::test
