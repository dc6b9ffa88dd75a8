// Golden cases of passes: a file a claim, tests/optimizer/cases/PASS/CLAIM.txt.
//
//   # A claim, in one sentence.
//   # options: --gather-preset=free_only --pad=sided --runner=gpu
//   vecc program 1 f32 samples 2
//   ...
//   =>
//   vecc program 1 f32 samples 2      (or `unchanged`)
//   ...
#pragma once

#include <string>
#include <vector>

#include "vecc/optimize.h"

namespace vecc::test {

struct PassCase {
  std::string path;
  std::string pass;   ///< the folder's name
  std::string claim;  ///< the comment lines and options, as they stand
  OptimizeOptions options;
  std::string before;  ///< Program text
  std::string after;   ///< Program text, or "unchanged\n"
};

/// The file of a case; the error says what is wrong with it.
[[nodiscard]] Result<PassCase> read_pass_case(const std::string& path);
/// Writes the case back with what the pass makes now.
void write_pass_case(const PassCase& pass_case);
/// Every case under tests/optimizer/cases, in order of their paths.
[[nodiscard]] std::vector<std::string> pass_case_paths();
/// What the pass makes of the case: the text after it, or "unchanged\n".
[[nodiscard]] Result<std::string> run_pass_case(const PassCase& pass_case);

/// The Program after these passes, verified after each; throws if they fail.
[[nodiscard]] Program run_passes(const Program& program, std::vector<std::string> passes,
                                 OptimizeReport* report = nullptr);

}  // namespace vecc::test
