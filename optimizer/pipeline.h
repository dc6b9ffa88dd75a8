// The passes and the order in which they run.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "optimizer/passes/pass_context.h"

namespace vecc {

struct Pass {
  PassInfo info;
  PassFunction run;
};
/// The passes that there are.
[[nodiscard]] std::span<const Pass> pass_table();

/// A place in the pipeline.
struct PipelineStep {
  std::string_view pass;
  std::string_view reason;  ///< why it stands here
  /// Whether the step runs with this preset; null: always.
  bool (*applies)(const GatherPreset& preset) = nullptr;
};
/// THE ordered list.
[[nodiscard]] std::span<const PipelineStep> pipeline();
/// The first step that the preset or the padding changes: what stands before it runs once, whatever
/// is chosen.
[[nodiscard]] std::size_t first_choice_step();

}  // namespace vecc
