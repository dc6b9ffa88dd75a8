// rotate: - sum over k of | h_k r_k / |r_k| - t_k | of complex numbers (Sun et al. 2019; |r_k|
// divides in place of their angles).
#include <array>

#include "tools/import/models/scores/score_models.h"
#include "tools/import/models/scores/score_template.h"

namespace vecc::tools {
namespace {

constexpr std::array<const char*, 2> kParts{"re", "im"};

std::string part_name(const char* name, std::size_t part) {
  return std::string(name) + "_" + kParts[part];
}

// Both parts of r / |r|, by relation.
std::array<KeyedNeurons, 2> ground_rotations(ScoreTemplate& t, const std::array<FileId, 2>& r) {
  std::array<KeyedNeurons, 2> squares;
  for (std::size_t part = 0; part < 2; ++part) {
    squares[part] = t.ground_by_relation(
        {part_name("square", part), "R", part_name("r", part) + "(R)", false, Combination::Sum,
         transform(Transformation::Square)},
        [&](std::uint32_t relation, NeuronRow& row) { row.input(r[part] + relation); });
  }
  const KeyedNeurons inverse =
      t.ground_by_relation({"inverse", "R", "square_re(R), square_im(R)", false, Combination::Sum,
                            transform(Transformation::Inverse)},
                           [&](std::uint32_t relation, NeuronRow& row) {
                             for (const KeyedNeurons& square : squares)
                               row.input(square.of(relation));
                           });
  const KeyedNeurons scale = t.ground_by_relation(
      {"scale", "R", "inverse(R)", false, Combination::Sum, transform(Transformation::Sqrt)},
      [&](std::uint32_t relation, NeuronRow& row) { row.input(inverse.of(relation)); });
  std::array<KeyedNeurons, 2> rotations;
  for (std::size_t part = 0; part < 2; ++part) {
    rotations[part] =
        t.ground_by_relation({part_name("unit", part), "R", part_name("r", part) + "(R), scale(R)",
                              false, Combination::ElProduct},
                             [&](std::uint32_t relation, NeuronRow& row) {
                               row.input(r[part] + relation);
                               row.input(scale.of(relation));
                             });
  }
  return rotations;
}

}  // namespace

Result<void> ground_rotate(const TypedGraph& data, const ScoreOptions& options, Grounder& out) {
  VECC_TRY(ScoreTemplate t, ScoreTemplate::create(data, options, out));
  const std::array<FileId, 2> e{t.entities("e_re", t.dim()), t.entities("e_im", t.dim())};
  const std::array<FileId, 2> r{t.relations("r_re", t.dim()), t.relations("r_im", t.dim())};
  const WeightId minus_one = t.minus_one();
  const std::array<KeyedNeurons, 2> rotations = ground_rotations(t, r);
  std::array<FileId, 2> squares{};
  for (std::size_t part = 0; part < 2; ++part) {
    // re re - im im, and re im + im re.
    std::array<FileId, 2> products{};
    for (std::size_t head = 0; head < 2; ++head) {
      const std::size_t other = head ^ part;
      products[head] = t.ground(
          {part_name(head == 0 ? "first" : "second", part), "H,R,T",
           part_name("e", head) + "(H), " + part_name("unit", other) + "(R), *triple(H,R,T)", false,
           Combination::ElProduct},
          [&](std::uint64_t i, NeuronRow& row) {
            row.input(e[head] + t.triples()[i].head);
            row.input(rotations[other].of(t.triples()[i].relation));
          });
    }
    const std::string second = (part == 0 ? "<-1> " : "") + part_name("second", part);
    squares[part] = t.ground({part_name("diff", part), "H,R,T",
                              part_name("first", part) + "(H,R,T), " + second + "(H,R,T), <-1> " +
                                  part_name("e", part) + "(T)",
                              true, Combination::Sum, transform(Transformation::Square)},
                             [&](std::uint64_t i, NeuronRow& row) {
                               row.input(products[0] + i);
                               row.input(products[1] + i, part == 0 ? minus_one : kNoWeight);
                               row.input(e[part] + t.triples()[i].tail, minus_one);
                             });
  }
  const FileId moduli = t.ground({"modulus", "H,R,T", "diff_re(H,R,T), diff_im(H,R,T)", false,
                                  Combination::Sum, transform(Transformation::Sqrt)},
                                 [&](std::uint64_t i, NeuronRow& row) {
                                   for (const FileId square : squares) row.input(square + i);
                                 });
  t.add_samples(t.ground_sum("modulus", moduli, t.dim(), -1));
  return {};
}

}  // namespace vecc::tools
