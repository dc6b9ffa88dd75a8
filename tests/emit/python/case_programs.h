// Programs that modules are made of in tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vecc/program.h"

namespace vecc::test {

/// Random ops of a forward pass, numbers that no function overflows on, every parameter with
/// values; every value is an output or a random one is.
[[nodiscard]] Program random_forward_program(std::uint64_t seed);

/// Recursions of 2,000 levels: each reads the one before; each reads all before it out of one
/// growing concat.
[[nodiscard]] std::vector<std::pair<std::string, Program>> recursive_programs();

}  // namespace vecc::test
