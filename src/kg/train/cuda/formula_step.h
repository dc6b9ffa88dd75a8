// The kernels of a user's score in a GPU's step, from the kernels that the CPU compiles too: q and
// e of queries, answers and negatives, scores of pairs where they are no sums, and what derivatives
// pass on to rows and to shared parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/device_code.h"
#include "backends/cuda/launch_graph.h"
#include "src/kernel/schedule/kernel_schedule.h"
#include "src/kg/train/cuda/step_sizes.h"
#include "vecc/target.h"

namespace vecc::kg {

/// What of a step a launch belongs to; those of a phase wait for the one before.
enum class FormulaPhase : std::uint8_t {
  Make,   ///< q and e
  Score,  ///< of pairs
  Pairs,  ///< from derivatives by scores those by q and e
  Pull,   ///< those by rows and shared parameters
};

struct FormulaLaunch {
  FormulaPhase phase = FormulaPhase::Make;
  std::string name;
  std::string text;                  ///< of its unit, with the kernel vecc_kernel_32
  cuda::BoundLaunch bound;           ///< complete but for the function
  std::vector<std::uint32_t> after;  ///< launches of the same phase that it waits for
};

struct FormulaStep {
  std::vector<FormulaLaunch> launches;  ///< in an order that they may run in
  /// Whether a derivative by a row is written by no launch, and is 0.
  bool clears = false;
  std::vector<device::SharedPart> shared_parts;
};

/// Memory of zeros on the GPU: `count` times `bytes`.
using HoldMemory = std::function<std::uint64_t(std::uint64_t count, std::uint64_t bytes)>;

/// `a` has all arrays of a step. Errors: BackendUnsupported for rows that threads have no room for,
/// LimitShape. Throws what `hold` throws.
[[nodiscard]] Result<FormulaStep> make_formula_step(const DeviceScore& score,
                                                    const StepKinds& kinds, const StepSizes& sizes,
                                                    const Target& target,
                                                    const device::Arguments& a,
                                                    const HoldMemory& hold);

}  // namespace vecc::kg
