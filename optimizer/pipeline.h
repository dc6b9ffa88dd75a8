// The passes and the order in which they run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "optimizer/passes/pass_context.h"

namespace vecc::opt {

/// By their functions' names.
enum class PassId : std::uint8_t {
#define VECC_PASS(function, ...) function,
#include "optimizer/passes/passes.def"
};

struct Pass {
  PassInfo info;
  PassFunction run;
};
/// The passes that there are, by PassId. Each stands in the pipeline.
[[nodiscard]] std::span<const Pass> pass_table();
[[nodiscard]] inline const Pass& pass_of(PassId id) {
  return pass_table()[static_cast<std::size_t>(id)];
}

/// A place in the pipeline.
struct PipelineStep {
  PassId pass;
  std::string_view reason;  ///< why it stands here
  /// What of a candidate changes what the step does.
  enum class Asks : std::uint8_t { Nothing, PadMode, Preset };
  Asks asks = Asks::Nothing;
  /// Whether the step runs with this preset; null: always.
  bool (*applies)(const GatherPreset& preset) = nullptr;
  /// The step runs only where this pass has changed the Program before it; its own: always.
  PassId after = pass;
};
/// THE ordered list.
[[nodiscard]] std::span<const PipelineStep> pipeline();
/// The first step that the preset or the padding changes: what stands before it runs once, whatever
/// is chosen.
[[nodiscard]] std::size_t first_choice_step();
/// The step's pass; null if it does not run: above the level, disabled, not with this preset, or
/// not on a Program with derivatives.
[[nodiscard]] const Pass* pass_of(const PipelineStep& step, const OptimizeOptions& options,
                                  const GatherPreset& preset, bool differentiated);

}  // namespace vecc::opt
