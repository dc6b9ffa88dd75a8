// Gradients of a Program in every way that is tested against the interpreter's.
#pragma once

#include <memory>

#include "vecc/backend.h"
#include "vecc/program.h"

namespace vecc::test {

/// The same ops, with a parameter in the place of every fact that has values, and as outputs all
/// values that no op reads.
[[nodiscard]] Program learn_facts(const Program& program);

/// Compiles for the first way, with gradients; a failure fails the test.
[[nodiscard]] std::unique_ptr<Executable> compile_tested_gradients(const Program& program);

/// For random gradients of the outputs, the gradient of every parameter equals the interpreter's
/// (1e-9, for fp32 1e-4, relative above 1; NaN and infinity in the same places), in every way, and
/// so do the outputs; a way that is not costly also with kept values. A second backward pass, and
/// one after a second run, repeat the first bit by bit.
void expect_gradient_agreement(const Program& program);

}  // namespace vecc::test
