// What tests of iso-compress ask: the classes of rows, whether rows of one class are equal, and
// what the pass makes of a Program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vecc/optimize.h"
#include "vecc/program.h"

namespace vecc::test {

/// The Program of a text; fails the test otherwise.
[[nodiscard]] Program program_of(const std::string& text);

/// The class of each row of `value`, numbered in the order of first occurrence.
[[nodiscard]] std::vector<std::uint32_t> iso_classes(const Program& program, ValueId value,
                                                     std::uint64_t seed = 1);

/// The rows of every value (row-major), run in double on weights that `seed` draws.
[[nodiscard]] std::vector<std::vector<double>> run_on_random_weights(const Program& program,
                                                                     std::uint64_t seed);

/// Two rows of one class whose values differ by more than 1e-9 of the larger of 1 and the value; ""
/// if there are none.
[[nodiscard]] std::string unequal_rows_of_a_class(const Program& program, std::uint64_t seed);

struct IsoRun {
  Program program;
  bool changed = false;
  std::map<std::string, std::uint64_t> counters;
};
/// Runs the pass; checks verify(), the claim, and that a second run changes nothing.
[[nodiscard]] IsoRun run_iso_compress(const Program& program);

}  // namespace vecc::test
