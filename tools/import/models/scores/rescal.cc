// rescal: h . M_r t (Nickel et al. 2011).
#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {

Result<void> ground_rescal(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const FileId e = t.entities("e", t.dim());
  const WeightId m = t.relation_weights("M", weight_shape(t.dim(), t.dim()));
  const KeyedNeurons rows = t.head_rows(e);
  t.add_samples(
      t.ground({"score", "H,R,T", "row(H), {M_R} e(T), *triple(H,R,T)", true, Combination::Product},
               [&](std::uint64_t i, NeuronRow& row) {
                 const Triple& triple = t.triples()[i];
                 row.input(rows.of(triple.head));
                 row.input(e + triple.tail, m + triple.relation);
               }));
  return {};
}

}  // namespace vecc::tools
