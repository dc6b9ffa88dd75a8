// Programs by their text.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "vecc/program_text.h"

namespace vecc::test {

/// The first line of a text with no samples.
inline const std::string kHeader = "vecc program 1 f32 samples 0\n";

/// The program of a whole text; the test fails if it does not parse.
inline Program program_of(const std::string& text) {
  Result<Program> program = parse_program(text, "p.vecc");
  if (program) return std::move(*program);
  ADD_FAILURE() << program.error().text();
  return Program();
}

/// What parse_program says about a whole text; empty if it parses.
inline std::string error_of(const std::string& text, const std::string& side = {}) {
  const Result<Program> program = parse_program(text, "p.vecc", side);
  return program ? "" : program.error().text();
}

inline PrintOptions full_options() {
  PrintOptions options;
  options.long_arrays = LongArrays::Full;
  options.parameter_values = true;
  return options;
}

/// The text parses, and prints as it is.
inline void expect_golden(const std::string& text) {
  EXPECT_EQ(print(program_of(text), full_options()), text);
}

}  // namespace vecc::test
