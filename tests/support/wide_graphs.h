// Graphs of one function of a great many operands.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/neuron_graph.h"

namespace vecc::test {

/// A list in the middle of a function graph.
struct WideFunction {
  const char* name;  ///< `sum`, `concat[axis=0]`
  /// What stands in the list again and again, `#` being the number of an operand: `$#`, `tanh($#)`.
  const char* members;
  Shape scalar = {};  ///< of the operands with an even number
  Shape other = {};   ///< and with an odd one
};

/// `relu(NAME(MEMBER, ...))` of `width` learnable facts around 1, by two neurons; a sample each.
[[nodiscard]] NeuronGraph wide_function_graph(const WideFunction& function, std::uint32_t width);

/// Lists of every combination (but cossim, which has two operands) of scalars, columns and
/// matrices, of several shapes, of constants and of functions.
inline constexpr WideFunction kWideFunctions[] = {
    {"sum", "$#"},
    {"avg", "$#"},
    {"elproduct", "$#"},
    {"max", "$#"},
    {"min", "$#"},
    {"count", "$#"},
    {"concat", "$#"},
    {"softmax", "$#"},
    {"sparsemax", "$#"},
    {"crosssum", "$#"},
    {"product", "$#"},
    {"sum", "tanh($#), 0.5, sum(0.25, 0.5)"},
    {"avg", "tanh($#), 0.5, sum(0.25, 0.5)"},
    {"elproduct", "1.0625, sum($#, 0.0625)"},
    {"max", "tanh($#), 0.5, sum(0.25, 0.5)"},
    {"softmax", "tanh($#), 0.5, sum(0.25, 0.5)"},
    {"concat", "tanh($#), 0.5"},
    {"count", "tanh($#), 0.5"},
    {"sum", "$#", Shape(), Shape::column(3)},
    {"sum", "$#", Shape::row(3), Shape::column(3)},
    {"avg", "$#, 0.5", Shape::column(3), Shape()},
    {"elproduct", "$#, 1.0625", Shape(), Shape(2, 2)},
    {"concat", "$#", Shape(), Shape(2, 2)},
    {"max", "$#", Shape::column(3), Shape::column(3)},
    {"min", "$#", Shape(2, 2), Shape(2, 2)},
    {"concat", "$#", Shape(2, 2), Shape(2, 2)},
    {"concat[axis=0]", "$#", Shape(2, 2), Shape(2, 2)},
    {"concat[axis=0]", "$#", Shape(2, 2), Shape(1, 2)},
    {"product", "$#", Shape(2, 2), Shape(2, 2)},
    {"product", "$#", Shape(), Shape(2, 2)},
};

}  // namespace vecc::test
