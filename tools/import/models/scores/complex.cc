// complex: real part of sum over k of h_k r_k conj(t_k) (Trouillon et al. 2016).
#include <array>

#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {

Result<void> ground_complex(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const std::array<FileId, 2> e{t.entities("e_re", t.dim()), t.entities("e_im", t.dim())};
  const std::array<FileId, 2> r{t.relations("r_re", t.dim()), t.relations("r_im", t.dim())};
  const WeightId minus_one = t.minus_one();
  // The real part of a product has the products with an even number of i's; the conjugate's minus
  // and i^2 = -1 leave a minus with h_im r_im t_re alone. 0 is the real part, 1 the imaginary one.
  constexpr std::array<std::array<std::size_t, 3>, 4> kParts{
      {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
  const std::array<std::string, 2> suffix{"_re", "_im"};
  std::array<FileId, 4> terms{};
  for (std::size_t k = 0; k < kParts.size(); ++k) {
    const auto [h, rel, tail] = kParts[k];
    StageSpec stage{"product", "H,R,T", "", false, Combination::ElProduct};
    stage.body =
        "e" + suffix[h] + "(H), r" + suffix[rel] + "(R), e" + suffix[tail] + "(T), *triple(H,R,T)";
    stage.weighted_head = k == 3;
    terms[k] =
        t.ground_rule(stage, [&, h = h, rel = rel, tail = tail](std::uint64_t i, NeuronRow& row) {
          const Triple& triple = t.triples()[i];
          row.input(e[h] + triple.head);
          row.input(r[rel] + triple.relation);
          row.input(e[tail] + triple.tail);
        });
  }
  StageSpec atoms{"product", "H,R,T", ""};
  atoms.weighted_head = true;
  const FileId products = t.ground_atoms(atoms, [&](std::uint64_t i, NeuronRow& row) {
    for (std::size_t k = 0; k < 4; ++k) row.input(terms[k] + i, k == 3 ? minus_one : kNoWeight);
  });
  t.add_samples(t.ground_sum("product", products, t.dim(), 1));
  return {};
}

}  // namespace vecc::tools
