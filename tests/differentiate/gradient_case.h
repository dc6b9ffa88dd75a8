// Programs with their backward pass appended, against the interpreter's own reverse mode.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vecc/differentiate.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::test {

/// A Program with its backward pass, and the gradient of every parameter.
struct Differentiated {
  Program program;
  std::vector<std::optional<ValueId>> gradients;
};

/// From these gradients of the outputs, in sample order; throws with the errors' text.
[[nodiscard]] Differentiated differentiate_outputs(const Program& program,
                                                   const std::vector<double>& output_gradients);
/// Random gradients of the outputs.
[[nodiscard]] std::vector<double> random_output_gradients(const Program& program,
                                                          std::uint64_t seed);

/// As the vectorizer makes it, in f64.
[[nodiscard]] Program vectorized_program(const NeuronGraph& graph);
/// The same ops, with a parameter for every fact that has values, and as outputs all values that no
/// op reads.
[[nodiscard]] Program learn_all(const Program& program);

/// How a gradient, run forwards by the interpreter, differs from the interpreter's differentiate()
/// (by more than 1e-12, relative above 1; NaN and infinity in the same places), or "".
[[nodiscard]] std::string gradient_difference(const Program& program, std::uint64_t seed = 1);

/// The same of the Program that `build` fills, in f64, with all its facts learned. A difference
/// fails the test with the text of both.
void expect_gradients(const std::string& name, const std::function<void(Program&)>& build);

/// The text of the Program, its values in full.
[[nodiscard]] std::string text_of(const Program& program);

}  // namespace vecc::test
