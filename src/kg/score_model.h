// The scores of triples (h, r, t), and the weight tables that each reads: those of vecc-import kg
// (docs/architectures.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/kg/formulas/kinds.h"

namespace vecc::kg {

/// Tables side by side are one vector an entity or relation: e_re and e_im.
struct ScoreModelInfo {
  ScoreModel model;
  std::string_view name;                    ///< "transe", as --model has it
  std::vector<std::string_view> entities;   ///< tables by entity
  std::vector<std::string_view> relations;  ///< tables of vectors by relation; may be none
  std::string_view matrices = {};           ///< table of a matrix by relation; may be none
  std::string_view normals = {};            ///< table of hyperplanes' normals; may be none
};
/// All but Formula, whose tables its text declares.
[[nodiscard]] std::span<const ScoreModelInfo> score_models();
[[nodiscard]] const ScoreModelInfo& info_of(ScoreModel model);
/// By name, also "formula"; none for other names.
[[nodiscard]] std::optional<ScoreModel> parse_score_model(std::string_view name);
/// `transe, transh, ..., formula`
[[nodiscard]] std::string list_score_models();

}  // namespace vecc::kg
