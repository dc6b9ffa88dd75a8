// How far what vecc computed on a backend is from its reference, as compare.py and peer_runs.py
// count it for the peers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vecc/backend.h"
#include "vecc/error.h"

namespace vecc::tools {

constexpr double kOutputTolerance = 1e-5;
constexpr double kGradientTolerance = 1e-4;
/// What they are multiplied by where operands of products have 10 or 7 bits behind the leading one
/// instead of 23: less than they lost, since sums keep theirs. Of numbers in two parts a product is
/// off by 2^-20 where one of f32 is by 2^-24, and sums of many are by more.
[[nodiscard]] constexpr double rounding_of(MatmulPrecision precision) {
  switch (precision) {
    case MatmulPrecision::Exact: break;
    case MatmulPrecision::Tf32x3: return 1 << 2;
    case MatmulPrecision::Tf32: return 1 << 11;
    case MatmulPrecision::Bf16: return 1 << 14;
  }
  return 1;
}

/// The largest |a - b| / max(1, |b|) of all outputs; the largest double where a shape or a special
/// value differs. `path`: vecc --json's. Error: FileUnreadable.
[[nodiscard]] Result<double> output_difference(const std::vector<Executable::Output>& outputs,
                                               const std::string& path);

/// By table: its rows one after another.
using TableGradients = std::map<std::string, std::vector<double>>;
/// The largest |a - b| in units of the largest |b| of its row, or of 1; a table that is not in
/// `found` has zeros. `path`: vecc --gradients'. Error: FileUnreadable.
[[nodiscard]] Result<double> gradient_difference(const TableGradients& found,
                                                 const std::string& path);

}  // namespace vecc::tools
