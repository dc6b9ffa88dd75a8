// A kernel of a user's score as a launch on a GPU, over rows that an earlier launch counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "backends/cuda/launch_graph.h"
#include "src/kg/score_formula/score_kernels.h"
#include "vecc/error.h"
#include "vecc/program.h"
#include "vecc/target.h"

namespace vecc::kg {

/// Where an array is on the GPU, and the list that it is read through.
struct ArrayPlace {
  std::uint64_t data = 0;
  std::uint64_t list = 0;
};
using ArrayPlaces = std::map<ScoreArray, ArrayPlace>;

/// Which rows a launch has.
struct RowPlaces {
  std::uint64_t spans = 0;    ///< device::RowSpan; 0: rows of a range
  std::uint64_t range = 0;    ///< first row (span), and that behind the last
  std::uint64_t most = 0;     ///< rows, or spans
  std::uint64_t members = 0;  ///< of a span, at most
};

struct FormulaUnit {
  std::string text;         ///< of its unit, with the kernel kFormulaKernel
  cuda::BoundLaunch bound;  ///< complete but for the function
};
inline constexpr const char* kFormulaKernel = "vecc_kernel_32";

/// Errors: BackendUnsupported for rows that threads have no room for, LimitShape.
[[nodiscard]] Result<FormulaUnit> make_formula_unit(ScoreKernel made, const ArrayPlaces& arrays,
                                                    const RowPlaces& rows, DType dtype,
                                                    const Target& target);

}  // namespace vecc::kg
