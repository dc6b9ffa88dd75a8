// THE list of what the optimizer does, in order.
#include "optimizer/pipeline.h"

#include <algorithm>
#include <array>
#include <vector>

#include "optimizer/passes/passes.h"

namespace vecc::opt {
namespace {

using Asks = PipelineStep::Asks;

bool lifts_first(const GatherPreset& preset) {
  return preset.before_broadcast;
}
bool lifts_last(const GatherPreset& preset) {
  return !preset.before_broadcast;
}

constexpr std::array kPipeline{
    // Canonical: one unit, equal facts once, no product by one.
    PipelineStep{PassId::merge_units, "one unit makes products by it, and reads of it, comparable"},
    PipelineStep{PassId::dedup_facts,
                 "equal inputs must be one row before equal work can be found"},
    PipelineStep{PassId::drop_unit_linear, "a product by one would hide that two rows are equal"},
    // Less work: rows and products that are computed once.
    PipelineStep{PassId::split_products, "parts have fewer rows, which those below find"},
    PipelineStep{PassId::iso_compress,
                 "the large reduction: all that follows has fewer rows to look at"},
    PipelineStep{PassId::dedup_linear_pairs,
                 "products below a segment, which iso-compress leaves alone"},
    PipelineStep{PassId::reorder_linear, "counts distinct products, so those must be known"},
    PipelineStep{PassId::dedup_rows, "sweeps up the rows that the three before it left unread"},
    PipelineStep{PassId::collapse_sums, "distinct rows are known: few of them make it pay"},
    PipelineStep{PassId::reorder_linear, "one sum may share a matrix, where sums of sums did not",
                 Asks::Nothing, nullptr, PassId::collapse_sums},
    PipelineStep{PassId::fold_multiplicity, "members are equal only now that equal rows are one"},
    PipelineStep{PassId::fold_constants, "what no weight reaches, once it is as small as it gets"},
    // Less movement: gathers split, moved, or replaced by reading in place.
    PipelineStep{PassId::transpose_fixed_segments, "decides which side of a product can repeat"},
    PipelineStep{PassId::pad_linear, "makes sides repeat; needs distinct pairs", Asks::PadMode},
    PipelineStep{PassId::split_concat_gathers, "smaller gathers lift further"},
    PipelineStep{PassId::concat_gather, "what is left reads one source"},
    PipelineStep{PassId::lift_gathers, "before the broadcasts: lifts more, leaves fewer of them",
                 Asks::Preset, &lifts_first},
    PipelineStep{PassId::broadcast_linear, "after pad-linear, which made the periods"},
    PipelineStep{PassId::lift_gathers, "after the broadcasts: keeps them", Asks::Preset,
                 &lifts_last},
    // Clean: the forms that backends read.
    PipelineStep{PassId::simplify_gathers, "indices are final: regular ones become views"},
    PipelineStep{PassId::drop_identity, "what the passes above left empty"},
    PipelineStep{PassId::materialize_units, "no pass below asks for units"},
    PipelineStep{PassId::preconcat_constants, "concats are final"},
    PipelineStep{PassId::reorder_rows, "the readers of every row are final"},
    PipelineStep{PassId::drop_dead, "last, so that nothing unneeded is run"},
};

constexpr std::array kPasses{
#define VECC_PASS(function, name, does, level, differentiated, not_idempotent) \
  Pass{{name, does, level, differentiated, not_idempotent}, &function},
#include "optimizer/passes/passes.def"
};

constexpr bool stands_in_pipeline(PassId pass) {
  return std::ranges::find(kPipeline, pass, &PipelineStep::pass) != kPipeline.end();
}
#define VECC_PASS(function, name, ...) \
  static_assert(stands_in_pipeline(PassId::function), name " has no place in the pipeline");
#include "optimizer/passes/passes.def"

}  // namespace

std::span<const PipelineStep> pipeline() {
  return kPipeline;
}

std::size_t first_choice_step() {
  const auto found = std::ranges::find_if(
      kPipeline, [](const PipelineStep& step) { return step.asks != Asks::Nothing; });
  return static_cast<std::size_t>(found - kPipeline.begin());
}

const Pass* pass_of(const PipelineStep& step, const OptimizeOptions& options,
                    const GatherPreset& preset, bool differentiated) {
  const Pass& pass = pass_of(step.pass);
  const bool is_disabled =
      std::ranges::find(options.disabled, pass.info.name) != options.disabled.end();
  const bool runs = pass.info.level <= options.level && !is_disabled &&
                    (!step.applies || step.applies(preset)) &&
                    (!differentiated || pass.info.differentiated);
  return runs ? &pass : nullptr;
}

std::span<const Pass> pass_table() {
  return kPasses;
}

}  // namespace vecc::opt

namespace vecc {

std::span<const PassInfo> passes() {
  static const std::vector<PassInfo> infos = [] {
    std::vector<PassInfo> result;
    for (const opt::Pass& pass : opt::kPasses) result.push_back(pass.info);
    return result;
  }();
  return infos;
}

const PassInfo* find_pass(std::string_view name) {
  const auto all = passes();
  const auto found = std::ranges::find(all, name, &PassInfo::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace vecc
