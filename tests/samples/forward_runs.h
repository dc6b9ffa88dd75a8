// Forward Programs on the interpreter, and what a run of a part of one is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tests/support/random_source.h"
#include "vecc/backend.h"
#include "vecc/program.h"

namespace vecc::test {

using Samples = std::vector<std::uint32_t>;

/// Compiled by the interpreter and run once.
std::unique_ptr<Executable> run_program(const Program& program, bool gradients);

/// Gradients of all outputs: ones; zeros for the samples that are not in `only`.
std::vector<double> seed_of(const std::vector<Executable::Output>& outputs,
                            const Samples* only = nullptr);

/// To 1e-12, relative above 1, where a number is expected.
void expect_near_where_finite(const std::vector<double>& found,
                              const std::vector<double>& expected);

/// Checks `count` random forward Programs, of which parameters have values.
void for_random_programs(std::uint32_t count,
                         const std::function<void(const Program&, RandomSource&)>& check);
/// Checks the Programs of `count` random graphs: as vectorized, and as optimized.
void for_random_graphs(
    std::uint32_t count,
    const std::function<void(const Program&, const Program&, RandomSource&)>& check);

}  // namespace vecc::test
