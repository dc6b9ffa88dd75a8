// Programs run by the interpreter, for tests.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "vecc/backend.h"

namespace vecc::test {

/// The program compiled by the interpreter, all values kept; throws with the errors' text if there
/// are any.
inline std::unique_ptr<Executable> compile_or_throw(const Program& program) {
  ExecutionOptions options;
  options.keep_values = true;
  auto executable = find_backend("interpreter")->compile(program, options);
  if (!executable) throw std::logic_error(executable.error().text());
  return std::move(*executable);
}

/// One value after one run.
inline std::vector<double> run_value(const Program& program, ValueId value) {
  const auto executable = compile_or_throw(program);
  if (const auto done = executable->run(); !done) throw std::logic_error(done.error().text());
  return executable->read(value).value();
}

/// The same numbers, to 1e-12.
inline auto are_near(const std::vector<double>& expected) {
  return testing::Pointwise(testing::DoubleNear(1e-12), expected);
}

/// An op that must be well formed.
inline ValueId add(Program& program, OpAttributes attributes, Operands operands) {
  auto value = program.add(std::move(attributes), std::move(operands));
  if (!value) throw std::logic_error(value.error().text());
  return *value;
}

}  // namespace vecc::test
