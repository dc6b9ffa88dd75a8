#include "src/kg/train/step_score.h"

#include <utility>
#include <vector>

#include "src/support/value_text.h"

namespace vecc::kg {
namespace {

// By the definitions of ScoreModel; a row's parts stand as they are declared.
std::string text_of_score(ScoreModel model, std::uint32_t p) {
  switch (model) {
    case ScoreModel::TransE: return p == 1 ? "-norm1(h + r - t)" : "-norm2(h + r - t)";
    case ScoreModel::TransH:
      return "r.w: dim\n"
             "n = r.w / dot(r.w, r.w)\n"
             "d = h - dot(r.w, h) * n + r - (t - dot(r.w, t) * n)\n"
             "-dot(d, d)";
    case ScoreModel::TransR: return "r.M: dim x dim\n-sum(square(r.M @ h + r - r.M @ t))";
    case ScoreModel::TransF: return "dot(h + r, t) + dot(h, t - r)";
    case ScoreModel::Rescal: return "r.M: dim x dim\ndot(h, r.M @ t)";
    case ScoreModel::DistMult: return "sum(h * r * t)";
    case ScoreModel::ComplEx:
      return "e.re: dim; e.im: dim; r.re: dim; r.im: dim\n"
             "re = h.re * r.re - h.im * r.im\n"
             "im = h.re * r.im + h.im * r.re\n"
             "dot(re, t.re) + dot(im, t.im)";
    case ScoreModel::RotatE:
      return "e.re: dim; e.im: dim; r.re: dim; r.im: dim\n"
             "size = sqrt(square(r.re) + square(r.im))\n"
             "re = (h.re * r.re - h.im * r.im) / size - t.re\n"
             "im = (h.re * r.im + h.im * r.re) / size - t.im\n"
             "-sum(sqrt(square(re) + square(im) + " +
             text_of_number(kRootFloor, /*single=*/false) + "))";
    case ScoreModel::Formula: break;
  }
  fail_check("a score with a name", __FILE__, __LINE__, "formula");
}

ValueId rows_of(const ScoreRows& rows, ScoreRole role) {
  switch (role) {
    case ScoreRole::Head: return rows.heads;
    case ScoreRole::Tail: return rows.tails;
    case ScoreRole::Relation: return rows.relations;
    case ScoreRole::Shared: return rows.shared;
  }
  fail_check("known role", __FILE__, __LINE__, std::to_string(static_cast<int>(role)));
}

}  // namespace

Result<ScoreFormula> formula_of_score(const TripleTrainOptions& options) {
  if (options.model == ScoreModel::Formula) return formula_of(options);
  return parse_score_formula(text_of_score(options.model, options.p), {options.dim, options.dim},
                             info_of(options.model).name);
}

ValueId part_of_rows(Program& program, ValueId rows, std::uint32_t begin, Shape shape) {
  const auto size = static_cast<std::uint32_t>(shape.size());
  ValueId part = rows;
  if (begin > 0 || size < program.op(rows).shape.size()) {
    part = program.transform(part, {.id = Transformation::Slice, .target = {}},
                             {begin, begin + size, 0, 1});
  }
  if (program.op(part).shape == shape) return part;
  return program.transform(part, {.id = Transformation::Reshape, .target = shape});
}

ValueId append_scores(Program& program, const ScoreFormula& formula, const ScoreRows& rows) {
  std::vector<ValueId> operands;
  for (const ScoreInput& input : formula.inputs) {
    const ScoreParameter& parameter = formula.parameters[input.parameter];
    operands.push_back(
        part_of_rows(program, rows_of(rows, input.role), parameter.begin, parameter.shape));
  }
  return program.map(expr_of(formula.score), operands, "scores");
}

}  // namespace vecc::kg
