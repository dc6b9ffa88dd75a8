// Runs a Program on torch and on the interpreter and compares every value.
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

/// VECC_TEST_DEVICE, or the CPU.
[[nodiscard]] Device test_device();

/// `count` values in [low, high), the same for the same seed on every machine.
[[nodiscard]] std::vector<double> random_values(std::size_t count, std::uint32_t seed,
                                                double low = -1, double high = 1);
/// A fact of such values.
ValueId random_fact(Program& program, std::uint32_t rows, Shape shape, std::uint32_t seed,
                    double low = -1, double high = 1);

/// Compiles for torch on the test device, keeping all values; a failure fails the test.
[[nodiscard]] std::unique_ptr<Executable> compile_torch(const Program& program,
                                                        bool keep_values = true);

/// |found - expected| <= tolerance * max(1, |expected|); NaN and infinity are equal to themselves.
[[nodiscard]] bool agree(double found, double expected, double tolerance);

/// In both dtypes: every value of the program that `build` fills equals the interpreter's (1e-12,
/// for fp32 1e-5, relative above 1; NaN and infinity in the same places), a second run repeats the
/// first bit by bit, and so does a run that releases values. So do the gradients, where the facts
/// are learnable (gradient_check.h).
void expect_agreement(const std::string& name, const std::function<void(Program&)>& build);

/// The same in one dtype.
void expect_agreement_in(DType dtype, const std::string& name,
                         const std::function<void(Program&)>& build);

/// The outputs equal the interpreter's, in each way of adding up gathered rows; no value is kept,
/// so that ops read past others (fused_reads.h).
void expect_outputs_agree(const Program& program);

}  // namespace vecc::test
