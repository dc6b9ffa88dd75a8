// Programs on torch, on the test device.
#pragma once

#include <memory>

#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"
#include "vecc/backend.h"

namespace vecc::test {

/// VECC_TEST_DEVICE, or the CPU.
[[nodiscard]] Device test_device();

/// Compiles for torch on the test device, keeping all values; a failure fails the test.
[[nodiscard]] std::unique_ptr<Executable> compile_torch(const Program& program,
                                                        bool keep_values = true);
/// The same with gradients.
[[nodiscard]] std::unique_ptr<Executable> compile_torch_gradients(
    const Program& program, TorchReduce reduce = TorchReduce::Auto, bool keep_values = false);

}  // namespace vecc::test
