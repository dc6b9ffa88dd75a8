// distmult: sum over k of h_k r_k t_k (Yang et al. 2015).
#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {

Result<void> ground_distmult(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const FileId e = t.entities("e", t.dim());
  const FileId r = t.relations("r", t.dim());
  const FileId products = t.ground(
      {"product", "H,R,T", "e(H), r(R), e(T), *triple(H,R,T)", false, Combination::ElProduct},
      [&](std::uint64_t i, NeuronRow& row) {
        const Triple& triple = t.triples()[i];
        row.input(e + triple.head);
        row.input(r + triple.relation);
        row.input(e + triple.tail);
      });
  t.add_samples(t.ground_sum("product", products, t.dim(), 1));
  return {};
}

}  // namespace vecc::tools
