// Where the outputs of samples lie in a list of them all.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// By sample: where its output begins in a list of all outputs' elements, in sample order; at last
/// the number of them.
[[nodiscard]] std::vector<std::uint64_t> output_begin(const Program& program);

}  // namespace vecc
