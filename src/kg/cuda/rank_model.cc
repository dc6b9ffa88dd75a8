#include "src/kg/cuda/rank_model.h"

#include <string_view>

#include "src/kg/formula_vectors.h"
#include "src/kg/query_formula.h"

namespace vecc::kg {
namespace {

// Put together when the build is configured.
constexpr std::string_view kRankText =
#include "rank_text.inc"
    ;

TileKind sum_of(const RankModel& model) {
  if (!model.score) return tile_kind(model.model, model.p);
  return model.is_pairwise() ? TileKind::Product : tile_kind_of(model.score->sides[0].kind);
}

}  // namespace

RankModel rank_model(const Embeddings& e) {
  RankModel model;
  const bool wide = std::holds_alternative<EmbeddingTables<double>>(e.tables);
  model.dtype = wide ? DType::F64 : DType::F32;
  model.model = e.model;
  model.p = e.p;
  model.entities = e.entities;
  model.relations = e.relations;
  model.dim = e.dim;
  model.relation_dim = e.relation_dim;
  if (e.formula) model.score = device_score(e.formula->formula());
  return model;
}

std::string rank_text(const RankModel& model) {
  std::string text;
  const auto define = [&](const char* name, const std::string& value) {
    text += std::string("#define VECC_KG_") + name + " " + value + "\n";
  };
  const auto number = [](auto kind) { return std::to_string(static_cast<unsigned>(kind)); };
  define("NUMBER", model.dtype == DType::F64 ? "double" : "float");
  define("MODEL", number(model.model));
  define("KIND", number(sum_of(model)));
  define("HAS_SPACES", number(model.model == ScoreModel::TransR));
  define("HAS_MATRICES", number(model.has_matrices()));
  define("HAS_PLANES", number(model.model == ScoreModel::TransH));
  define("IS_FORMULA", number(model.score.has_value()));
  define("IS_PAIRWISE", number(model.is_pairwise()));
  return text + std::string(kRankText);
}

}  // namespace vecc::kg
