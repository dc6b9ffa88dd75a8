#include "src/kg/score_model.h"

#include <algorithm>

namespace vecc::kg {

std::span<const ScoreModelInfo> score_models() {
  // By ScoreModel.
  static const std::vector<ScoreModelInfo> kModels{
      {ScoreModel::TransE, "transe", {"e"}, {"r"}},
      {ScoreModel::TransH, "transh", {"e"}, {"r"}, {}, "w"},
      {ScoreModel::TransR, "transr", {"e"}, {"r"}, "M"},
      {ScoreModel::TransF, "transf", {"e"}, {"r"}},
      {ScoreModel::Rescal, "rescal", {"e"}, {}, "M"},
      {ScoreModel::DistMult, "distmult", {"e"}, {"r"}},
      {ScoreModel::ComplEx, "complex", {"e_re", "e_im"}, {"r_re", "r_im"}},
      {ScoreModel::RotatE, "rotate", {"e_re", "e_im"}, {"r_re", "r_im"}},
  };
  return kModels;
}

const ScoreModelInfo& info_of(ScoreModel model) {
  static const ScoreModelInfo kFormula{ScoreModel::Formula, "formula", {}, {}};
  return model == ScoreModel::Formula ? kFormula : score_models()[static_cast<std::size_t>(model)];
}

std::optional<ScoreModel> parse_score_model(std::string_view name) {
  if (name == info_of(ScoreModel::Formula).name) return ScoreModel::Formula;
  const auto models = score_models();
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const ScoreModelInfo& info) { return info.name == name; });
  if (found == models.end()) return std::nullopt;
  return found->model;
}

std::string list_score_models() {
  std::string text;
  for (const ScoreModelInfo& info : score_models()) {
    text += std::string(info.name) + ", ";
  }
  return text + std::string(info_of(ScoreModel::Formula).name);
}

}  // namespace vecc::kg
