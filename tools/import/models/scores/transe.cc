// transe: - norm_p( h + r - t ) (Bordes et al. 2013).
#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {

Result<void> ground_transe(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  if (options.p != 1 && options.p != 2) {
    return Errors(ErrorCode::Usage, "vecc-import",
                  "--p=" + std::to_string(options.p) + ", expected 1 or 2");
  }
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const FileId e = t.entities("e", t.dim());
  const FileId r = t.relations("r", t.dim());
  const WeightId minus_one = t.minus_one();
  const bool is_sum = options.p == 1;  // of absolute values
  const FileId differences =
      t.ground({"diff", "H,R,T", "e(H), r(R), <-1> e(T), *triple(H,R,T)", true, Combination::Sum,
                transform(is_sum ? Transformation::Abs : Transformation::Square)},
               [&](std::uint64_t i, NeuronRow& row) {
                 const Triple& triple = t.triples()[i];
                 row.input(e + triple.head);
                 row.input(r + triple.relation);
                 row.input(e + triple.tail, minus_one);
               });
  if (is_sum) {
    t.add_samples(t.ground_sum("diff", differences, t.dim(), -1));
    return {};
  }
  const WeightId ones = t.fixed_row("ones", t.dim(), 1);
  const FileId norms =
      t.ground({"norm", "H,R,T", row_text(1, t.dim()) + " diff(H,R,T)", true, Combination::Sum,
                transform(Transformation::Sqrt)},
               [&](std::uint64_t i, NeuronRow& row) { row.input(differences + i, ones); });
  t.add_samples(
      t.ground({"score", "H,R,T", "<-1> norm(H,R,T)", true},
               [&](std::uint64_t i, NeuronRow& row) { row.input(norms + i, minus_one); }));
  return {};
}

}  // namespace vecc::tools
