// The presets of lift-gathers: margin, rate, chain depth, before broadcast-linear, through it.
#include <algorithm>
#include <array>

#include "vecc/optimize.h"

namespace vecc {
namespace {

constexpr std::uint32_t kNoLimit = GatherPreset::kUnlimited;
constexpr std::array<GatherPreset, 18> kPresets{{
    {"free_only", 0, 0, 0, false, true},
    {"free_only_presym", 0, 0, 0, true, true},
    {"margin_S", 10, 0.05, 0, false, true},
    {"margin_M_presym", 30, 0.05, 0, true, true},
    {"margin_M_keepsym", 30, 0.05, 0, false, false},
    {"margin_M", 30, 0.05, 0, false, true},
    {"margin_L_presym", 50, 0.05, 0, true, true},
    {"margin_L_keepsym", 50, 0.05, 0, false, false},
    {"margin_L", 50, 0.05, 0, false, true},
    {"margin_XL_presym", 50, 0.2, 0, true, true},
    {"margin_XL_keepsym", 50, 0.2, 0, false, false},
    {"margin_XL", 50, 0.2, 0, false, true},
    {"margin_XXL_presym", 50, 0.5, 0, true, true},
    {"margin_XXL_keepsym", 50, 0.5, 0, false, false},
    {"margin_XXL", 50, 0.5, 0, false, true},
    {"agg_max_keepsym", 50, 0.05, kNoLimit, false, false},
    {"agg_max_propsym", 50, 0.05, kNoLimit, false, true},
    {"agg_true_unlimited", 50, 0.05, kNoLimit, true, true},
}};

}  // namespace

std::span<const GatherPreset> gather_presets() {
  return kPresets;
}

const GatherPreset* find_gather_preset(std::string_view name) {
  const auto found = std::ranges::find(kPresets, name, &GatherPreset::name);
  return found == kPresets.end() ? nullptr : &*found;
}

}  // namespace vecc
