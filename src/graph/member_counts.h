// Which aggregations neighbour sampling may leave members out of.
#pragma once

#include <optional>
#include <string>

#include "vecc/fanout.h"

namespace vecc::graph {

/// What a drawn member counts in an aggregation; none: members may not be left out. Those with one
/// are levels of a fan-out where they are on a way to an output.
[[nodiscard]] std::optional<SampledMembers::Counts> counts_of(Combination combination);

/// Why they may not, for errors; empty: they may.
[[nodiscard]] std::string why_not_sampled(Combination combination);
/// The same of members that are products with a softmax's entries.
[[nodiscard]] std::string why_attention_is_not_sampled(Combination combination);

}  // namespace vecc::graph
