#include <algorithm>
#include <string>
#include <utility>

#include "src/kg/query_formula.h"
#include "src/kg/train/learned_rows.h"
#include "src/kg/train/triple_trainer.h"
#include "src/support/value_text.h"

namespace vecc::kg {
namespace {

// Of queries at most; `width`: numbers of a relation.
Result<void> check_dropout(const TripleTrainOptions& o, double queries, double width) {
  const std::pair<const char*, double> shares[] = {{"--entity-dropout", o.dropout.entities},
                                                   {"--relation-dropout", o.dropout.relations}};
  for (const auto& [name, p] : shares) {
    if (p == 0) continue;
    if (p >= 0 && p < 1 && dropout_share(p) > 0 && dropout_share(p) < 0x10000) continue;
    return Errors(ErrorCode::Usage, name,
                  "found " + std::to_string(p) + ", expected 0, or 2^-16 to 1 - 2^-16");
  }
  if (o.dropout.relations == 0) return {};
  if (projects_answers(o.model)) {
    return Errors(ErrorCode::Usage, "--relation-dropout",
                  std::string(info_of(o.model).name) +
                      " projects what is drawn by a relation for all its queries at once; "
                      "--entity-dropout is for all scores");
  }
  if (o.model == ScoreModel::RotatE) {
    return Errors(
        ErrorCode::Usage, "--relation-dropout",
        "rotate divides relations by their moduli, so that none of their numbers can be left out; "
        "--entity-dropout is for all scores");
  }
  if (queries * width < 0x1p57) return {};
  return Errors(ErrorCode::LimitShape, "--relation-dropout",
                "a step draws for 2^57 numbers or more; a smaller --batch-size has fewer");
}

// k-vs-all.
Result<void> check_labels(const TripleTrainOptions& o, std::uint32_t entities) {
  const auto refuse = [](const char* option, const std::string& message) {
    return Errors(ErrorCode::Usage, option, "--negatives=k-vs-all " + message);
  };
  if (o.negatives.count != 0 || o.negatives.draw != NegativeDraw::Uniform) {
    return refuse("--negatives", "draws none");
  }
  if (o.negatives.filtered) {
    return refuse("--filtered", "has no negative that is a training triple: all are labels");
  }
  if (o.negatives.corruption == Corruption::Bernoulli) {
    return refuse("--corrupt", "asks each query of a side: expected both, head or tail");
  }
  if (o.loss.loss == TripleLoss::Margin) {
    return refuse("--loss", "is of labels: expected logistic or softmax");
  }
  if (o.loss.adversarial != 0) return refuse("--adversarial", "weighs all entities the same");
  const double smoothing = o.loss.label_smoothing;
  if (o.loss.loss != TripleLoss::Logistic || smoothing == 0 || smoothing * entities >= 1) return {};
  return refuse("--label-smoothing", "adds 1 / entities to labels: found " +
                                         text_of_number(smoothing, false) +
                                         ", expected 0, or at least 1 / " +
                                         std::to_string(entities) + ", or labels are above 1");
}

}  // namespace

Result<ScoreFormula> formula_of(const TripleTrainOptions& o) {
  const std::uint32_t relation_dim = o.relation_dim > 0 ? o.relation_dim : o.dim;
  return parse_score_formula(o.formula, {o.dim, relation_dim}, "--score");
}

Result<void> check_triple_options(std::size_t triples, std::uint32_t entities,
                                  std::uint32_t relations, const TripleTrainOptions& o) {
  const auto refuse = [](const std::string& place, const std::string& message) {
    return Errors(ErrorCode::Usage, place, message);
  };
  if (triples == 0) return refuse("train", "there are no triples to train on");
  if (triples > 0x7FFFFFFF) return refuse("train", "more than 2^31 triples");
  if (o.dim == 0 || o.negatives.chunk == 0) return refuse("train", "--dim or --chunk is 0");
  VECC_TRY_VOID(check_row_optimizer(o.optimizer));
  if (o.loss.loss == TripleLoss::Softmax && o.loss.adversarial != 0) {
    return refuse("--adversarial",
                  "softmax weighs negatives by itself; it is of margin and "
                  "logistic");
  }
  if (o.loss.loss == TripleLoss::Softmax && o.loss.margin != 0) {
    return refuse("--margin", "softmax has none");
  }
  if (o.loss.loss == TripleLoss::Margin && o.loss.label_smoothing != 0) {
    return refuse("--label-smoothing", "margin has no labels; it is of logistic and softmax");
  }
  if (o.negatives.labels) VECC_TRY_VOID(check_labels(o, entities));
  double entity_width = o.dim;
  double numbers = static_cast<double>(info_of(o.model).entities.size()) * o.dim;
  double width = 0;
  if (o.model == ScoreModel::Formula) {
    VECC_TRY(const ScoreFormula formula, formula_of(o));
    numbers = entity_width = formula.entity_width;
    width = formula.relation_width;
  } else {
    width = static_cast<double>(relation_width(o.model, o.dim));
  }
  constexpr double kMost = 0x1p40;
  if (static_cast<double>(entities) * entity_width > kMost ||
      static_cast<double>(relations) * width > kMost) {
    return Errors(ErrorCode::LimitShape, "--dim=" + std::to_string(o.dim),
                  "makes tables of more than 2^40 numbers");
  }
  if (o.regularizer.constraints != 0 && o.model != ScoreModel::TransH) {
    return refuse("--constraints", "are of transh; --l2 is for all scores");
  }
  VECC_TRY_VOID(
      check_encoder_options(o.encoder, {entities, relations, static_cast<std::uint64_t>(numbers)}));
  const double batch = o.batch_size == 0 ? 0x1p31 : o.batch_size;
  return check_dropout(o, 2 * std::min(batch, static_cast<double>(triples)), width);
}

}  // namespace vecc::kg
