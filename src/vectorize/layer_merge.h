// Merges independent layers of equal signature.
#pragma once

#include <vector>

#include "src/vectorize/layer_plan.h"
#include "src/vectorize/placement.h"

namespace vecc::vectorizer {

/// Merges planned layers, none of which reads another, where form, function, shapes and the set of
/// element classes are equal (compared exactly) and one layer costs fewer launches than two: the
/// ops saved outnumber the concats that the joint sources need. Returns how many were merged away.
std::uint32_t merge_layers(std::vector<LayerPlan>& plans, const Placement& placement);

}  // namespace vecc::vectorizer
