// transf: (h + r) . t + h . (t - r) (Feng et al. 2016). A dot product is a row times a column, so
// h and h + r are turned into rows; the two terms are two rules of one head.
#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {

Result<void> ground_transf(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const FileId e = t.entities("e", t.dim());
  const FileId r = t.relations("r", t.dim());
  const WeightId minus_one = t.minus_one();
  const KeyedNeurons rows = t.head_rows(e);
  const FileId moved_heads = t.ground({"head", "H,R,T", "e(H), r(R), *triple(H,R,T)", false,
                                       Combination::Sum, transform(Transformation::Transp)},
                                      [&](std::uint64_t i, NeuronRow& row) {
                                        row.input(e + t.triples()[i].head);
                                        row.input(r + t.triples()[i].relation);
                                      });
  const FileId moved_tails = t.ground({"tail", "H,R,T", "e(T), <-1> r(R), *triple(H,R,T)", true},
                                      [&](std::uint64_t i, NeuronRow& row) {
                                        row.input(e + t.triples()[i].tail);
                                        row.input(r + t.triples()[i].relation, minus_one);
                                      });
  const FileId forward =
      t.ground_rule({"score", "H,R,T", "head(H,R,T), e(T)", false, Combination::Product},
                    [&](std::uint64_t i, NeuronRow& row) {
                      row.input(moved_heads + i);
                      row.input(e + t.triples()[i].tail);
                    });
  const FileId backward =
      t.ground_rule({"score", "H,R,T", "row(H), tail(H,R,T)", false, Combination::Product},
                    [&](std::uint64_t i, NeuronRow& row) {
                      row.input(rows.of(t.triples()[i].head));
                      row.input(moved_tails + i);
                    });
  t.add_samples(t.ground_atoms({"score", "H,R,T", ""}, [&](std::uint64_t i, NeuronRow& row) {
    row.input(forward + i);
    row.input(backward + i);
  }));
  return {};
}

}  // namespace vecc::tools
