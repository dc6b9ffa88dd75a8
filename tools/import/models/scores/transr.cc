// transr: - square norm of ( M_r h + r - M_r t ) (Lin et al. 2015).
#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {

Result<void> ground_transr(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const FileId e = t.entities("e", t.dim());
  const FileId r = t.relations("r", t.relation_dim());
  const WeightId m = t.relation_weights("M", weight_shape(t.relation_dim(), t.dim()));
  const WeightId minus_one = t.minus_one();
  const auto ground_projection = [&](const char* name, const char* entity,
                                     std::uint32_t Triple::*place) {
    const std::string body = std::string("{M_R} ") + entity + ", *triple(H,R,T)";
    return t.ground({name, "H,R,T", body, true}, [&](std::uint64_t i, NeuronRow& row) {
      const Triple& triple = t.triples()[i];
      row.input(e + triple.*place, m + triple.relation);
    });
  };
  const FileId heads = ground_projection("head", "e(H)", &Triple::head);
  const FileId tails = ground_projection("tail", "e(T)", &Triple::tail);
  const FileId differences = t.ground({"diff", "H,R,T", "head(H,R,T), r(R), <-1> tail(H,R,T)", true,
                                       Combination::Sum, transform(Transformation::Square)},
                                      [&](std::uint64_t i, NeuronRow& row) {
                                        row.input(heads + i);
                                        row.input(r + t.triples()[i].relation);
                                        row.input(tails + i, minus_one);
                                      });
  t.add_samples(t.ground_sum("diff", differences, t.relation_dim(), -1));
  return {};
}

}  // namespace vecc::tools
