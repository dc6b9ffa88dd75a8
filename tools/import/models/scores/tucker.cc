// tucker: sum over i, j, k of W_ijk h_i r_j t_k (Balazevic et al. 2019), as h . M t with the matrix
// M that W makes of r, once a relation.
#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {

Result<void> ground_tucker(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const FileId e = t.entities("e", t.dim());
  const FileId r = t.relations("r", t.relation_dim());
  VECC_TRY(const WeightId w, t.core_tensor("W"));
  TransformationSpec reshape = transform(Transformation::Reshape);
  reshape.target = weight_shape(t.dim(), t.dim());
  const KeyedNeurons matrices = t.ground_by_relation(
      {"matrix", "R", "{W} r(R)", true, Combination::Sum, reshape},
      [&](std::uint32_t relation, NeuronRow& row) { row.input(r + relation, w); });
  const KeyedNeurons rows = t.head_rows(e);
  t.add_samples(t.ground(
      {"score", "H,R,T", "row(H), matrix(R), e(T), *triple(H,R,T)", false, Combination::Product},
      [&](std::uint64_t i, NeuronRow& row) {
        const Triple& triple = t.triples()[i];
        row.input(rows.of(triple.head));
        row.input(matrices.of(triple.relation));
        row.input(e + triple.tail);
      }));
  return {};
}

}  // namespace vecc::tools
