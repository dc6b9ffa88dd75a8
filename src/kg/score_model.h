// The scores of triples (h, r, t), and the weight tables that each reads: those of vecc-import kg
// (docs/architectures.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vecc::kg {

enum class ScoreModel : std::uint8_t {
  TransE,    ///< -norm_p(h + r - t), p = 1 or 2 (Bordes et al. 2013)
  TransH,    ///< -|h' + r - t'|^2, x' = x - (w.x) / (w.w) w (Wang et al. 2014)
  TransR,    ///< -|M h + r - M t|^2 (Lin et al. 2015)
  TransF,    ///< (h + r) . t + h . (t - r) (Feng et al. 2016)
  Rescal,    ///< h . M t (Nickel et al. 2011)
  DistMult,  ///< sum of h_k r_k t_k (Yang et al. 2015)
  ComplEx,   ///< real part of the sum of h_k r_k conj(t_k) (Trouillon et al. 2016)
  RotatE,    ///< -sum |h_k r_k / |r_k| - t_k| of complex numbers (Sun et al. 2019)
};

/// Tables side by side are one vector an entity or relation: e_re and e_im.
struct ScoreModelInfo {
  ScoreModel model;
  std::string_view name;                    ///< "transe", as --model has it
  std::vector<std::string_view> entities;   ///< tables by entity
  std::vector<std::string_view> relations;  ///< tables of vectors by relation; may be none
  std::string_view matrices = {};           ///< table of a matrix by relation; may be none
  std::string_view normals = {};            ///< table of hyperplanes' normals; may be none
};
[[nodiscard]] std::span<const ScoreModelInfo> score_models();
[[nodiscard]] const ScoreModelInfo& info_of(ScoreModel model);
/// By name; none for other names.
[[nodiscard]] std::optional<ScoreModel> parse_score_model(std::string_view name);
/// `transe, transh, ...`
[[nodiscard]] std::string list_score_models();

}  // namespace vecc::kg
