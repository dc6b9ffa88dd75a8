// transh: - square norm of ( h' + r - t' ), x' = x - (w.x) / (w.w) w (Wang et al. 2014; w.w divides
// in place of their constraint that w has length 1).
#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {
namespace {

/// What the projections on a relation's hyperplane read.
struct Hyperplanes {
  FileId normal;         // w(R), by relation
  KeyedNeurons row;      // w(R) as a row
  KeyedNeurons inverse;  // 1 / (w.w)
};

Hyperplanes ground_hyperplanes(ScoreTemplate& t, FileId normal) {
  Hyperplanes planes{normal, {}, {}};
  planes.row = t.ground_by_relation(
      {"w_row", "R", "w(R)", false, Combination::Sum, transform(Transformation::Transp)},
      [&](std::uint32_t relation, NeuronRow& row) { row.input(normal + relation); });
  planes.inverse = t.ground_by_relation({"inverse", "R", "w_row(R), w(R)", false,
                                         Combination::Product, transform(Transformation::Inverse)},
                                        [&](std::uint32_t relation, NeuronRow& row) {
                                          row.input(planes.row.of(relation));
                                          row.input(normal + relation);
                                        });
  return planes;
}

// x' of the entity in one place of the triple: `name` is that place, `variable` its variable.
FileId ground_projection(ScoreTemplate& t, const std::string& name, const std::string& variable,
                         std::uint32_t Triple::*place, FileId e, const Hyperplanes& planes,
                         WeightId minus_one) {
  const std::string entity = "e(" + variable + ")";
  const std::string shift = name + "_shift";
  const FileId shifts =
      t.ground({shift, "H,R,T", "w_row(R), " + entity + ", inverse(R), w(R), *triple(H,R,T)", false,
                Combination::Product},
               [&](std::uint64_t i, NeuronRow& row) {
                 const Triple& triple = t.triples()[i];
                 row.input(planes.row.of(triple.relation));
                 row.input(e + triple.*place);
                 row.input(planes.inverse.of(triple.relation));
                 row.input(planes.normal + triple.relation);
               });
  return t.ground({name, "H,R,T", entity + ", <-1> " + shift + "(H,R,T)", true},
                  [&](std::uint64_t i, NeuronRow& row) {
                    row.input(e + t.triples()[i].*place);
                    row.input(shifts + i, minus_one);
                  });
}

}  // namespace

Result<void> ground_transh(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const FileId e = t.entities("e", t.dim());
  const FileId r = t.relations("r", t.dim());
  const FileId w = t.relations("w", t.dim());
  const WeightId minus_one = t.minus_one();
  const Hyperplanes planes = ground_hyperplanes(t, w);
  const FileId heads = ground_projection(t, "head", "H", &Triple::head, e, planes, minus_one);
  const FileId tails = ground_projection(t, "tail", "T", &Triple::tail, e, planes, minus_one);
  const FileId differences = t.ground({"diff", "H,R,T", "head(H,R,T), r(R), <-1> tail(H,R,T)", true,
                                       Combination::Sum, transform(Transformation::Square)},
                                      [&](std::uint64_t i, NeuronRow& row) {
                                        row.input(heads + i);
                                        row.input(r + t.triples()[i].relation);
                                        row.input(tails + i, minus_one);
                                      });
  t.add_samples(t.ground_sum("diff", differences, t.dim(), -1));
  return {};
}

}  // namespace vecc::tools
