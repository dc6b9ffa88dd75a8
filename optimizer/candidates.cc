#include "optimizer/candidates.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace vecc::opt {
namespace {

// Presets that differ most come first: each stands for its neighbours where only few are tried.
constexpr std::array<std::string_view, 18> kPromising{
    "margin_L",         "margin_XXL_presym", "agg_true_unlimited", "free_only",
    "agg_max_propsym",  "margin_XXL",        "margin_L_presym",    "agg_max_keepsym",
    "margin_L_keepsym", "free_only_presym",  "margin_XL",          "margin_S",
    "margin_M",         "margin_XL_presym",  "margin_XL_keepsym",  "margin_XXL_keepsym",
    "margin_M_presym",  "margin_M_keepsym"};
constexpr std::string_view kDefault = kPromising[0];

// Rows that all candidates together may go over, and how few and many candidates there are.
constexpr std::uint64_t kRowBudget = 4'000'000;
constexpr std::uint64_t kFewest = 2;

}  // namespace

std::vector<CandidateChoice> candidates_for(const OptimizeOptions& options, std::uint64_t rows) {
  const bool open = options.level >= 2 && !options.passes;
  std::vector<std::string_view> presets{options.gather_preset};
  if (options.gather_preset.empty()) presets = {kDefault};
  if (open && options.gather_preset.empty()) presets.assign(kPromising.begin(), kPromising.end());
  std::vector<PadMode> pads{options.pad_mode.value_or(PadMode::Any)};
  if (open && !options.pad_mode) pads = {PadMode::Any, PadMode::Never};
  // The second preset before the other padding: it makes more of a difference.
  constexpr std::size_t kFirstAlone = 2;
  const auto alone = std::min(kFirstAlone, presets.size());
  std::vector<CandidateChoice> result;
  for (std::size_t i = 0; i < alone; ++i) {
    result.push_back({find_gather_preset(presets[i]), pads.front()});
  }
  for (std::size_t i = 0; i < presets.size(); ++i) {
    for (std::size_t k = i < alone ? 1 : 0; k < pads.size(); ++k) {
      result.push_back({find_gather_preset(presets[i]), pads[k]});
    }
  }
  const std::uint64_t most = std::max(kFewest, kRowBudget / std::max<std::uint64_t>(rows, 1));
  if (result.size() > most) result.resize(most);
  return result;
}

}  // namespace vecc::opt
