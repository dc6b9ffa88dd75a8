// Runs a Program in every way that the test program tests, and on the interpreter, and compares
// every value.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vecc/backend.h"
#include "vecc/program.h"

namespace vecc::test {

/// A backend with its options.
struct Way {
  std::string name;
  const Backend* backend = nullptr;
  ExecutionOptions options = {};
  /// Every Program's kernels are compiled: what another check covers is left out.
  bool is_costly = false;
};
/// Those that this test program tests, which defines it; the first is the plain one.
[[nodiscard]] const std::vector<Way>& tested_ways();

/// How many of `all` seeds to test: all, unless the first way is costly and VECC_FULL is not set.
[[nodiscard]] std::uint64_t seeds_of(std::uint64_t all);

/// Compiles for the first way, with its device; a failure fails the test.
[[nodiscard]] std::unique_ptr<Executable> compile_tested(const Program& program,
                                                         bool keep_values = true);

/// `count` values in [low, high), the same for the same seed on every machine.
[[nodiscard]] std::vector<double> random_values(std::size_t count, std::uint32_t seed,
                                                double low = -1, double high = 1);
/// A fact of such values.
ValueId random_fact(Program& program, std::uint32_t rows, Shape shape, std::uint32_t seed,
                    double low = -1, double high = 1);

/// As many values, of the same bits.
[[nodiscard]] bool equal_bits(const std::vector<double>& first, const std::vector<double>& second);

/// |found - expected| <= tolerance * max(1, |expected|); NaN and infinity are equal to themselves.
[[nodiscard]] bool agree(double found, double expected, double tolerance);

/// Every value of the Program equals the interpreter's (1e-12, for fp32 1e-5, relative above 1; NaN
/// and infinity in the same places), and a second run repeats the first bit by bit.
void expect_values_agree(const Program& program);

/// In both dtypes: the values of the Program that `build` fills agree, a run that releases values
/// gives the same outputs bit by bit, and the gradients agree where the facts are learnable
/// (gradient_check.h). A costly way takes one dtype a case (under sanitizers one case of four),
/// gradients in f64 only, and those runs' outputs instead of the released ones; with VECC_FULL
/// everything in both.
void expect_agreement(const std::string& name, const std::function<void(Program&)>& build);

/// The same in one dtype.
void expect_agreement_in(DType dtype, const std::string& name,
                         const std::function<void(Program&)>& build);

/// The outputs equal the interpreter's, in every way; no value is kept, so that ops are fused.
void expect_outputs_agree(const Program& program);

}  // namespace vecc::test
