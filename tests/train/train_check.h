// Programs of training on every backend that is there: the interpreter, and torch if it is built.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vecc/backend.h"
#include "vecc/program.h"
#include "vecc/train.h"

namespace vecc::test {

/// The CPU, or the first GPU for cuda.
[[nodiscard]] Device device_of(const Backend& backend);

/// Calls `check` with each, its name traced; with cuda if VECC_TEST_DEVICE says so.
void on_each_backend(const std::function<void(const Backend&)>& check);

/// Compiles for device_of(); a failure throws.
[[nodiscard]] std::unique_ptr<Executable> compile_on(const Backend& backend, const Program& program,
                                                     ExecutionOptions options = {});

/// A parameter with values, and the op that reads it.
ValueId add_weight(Program& program, const std::string& name, std::uint32_t rows, Shape shape,
                   std::vector<double> values);

/// The value or, if there is none, an exception with the errors.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}
inline void expect_ok(const Result<void>& result) {
  ASSERT_TRUE(result) << result.error().text();
}

/// Their numbers.
[[nodiscard]] std::vector<std::uint32_t> all_samples(const NeuronGraph& graph);

/// The epoch's loss is the mean error of all samples that have a target, with the weights of now.
void expect_mean_error(Trainer& trainer, const NeuronGraph& graph, const Program& program,
                       const Backend& backend, const LossOptions& loss);

/// |found - expected| <= tolerance * max(1, |expected|) for each.
void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance = 1e-12);

}  // namespace vecc::test
