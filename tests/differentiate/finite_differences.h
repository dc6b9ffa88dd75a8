// Gradients of whole Programs against differences of their outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "vecc/program.h"

namespace vecc::test {

struct DifferenceCount {
  std::size_t compared = 0;  ///< entries of parameters
  std::size_t left_out = 0;  ///< next to a kink, a tie, a pole or the border of a domain
  std::string disagreement;  ///< the first; empty if all agree
};

/// The gradients that append_gradients() makes from random gradients of the outputs, run forwards
/// by the interpreter in f64, against central differences of the same number, to 1e-6 * max(1,
/// |g|). Of each parameter at most `most` entries, drawn by the seed.
[[nodiscard]] DifferenceCount compare_with_differences(
    const Program& program, std::uint64_t seed = 1,
    std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace vecc::test
