#include "src/kg/evaluation.h"

namespace vecc::kg {
namespace {

constexpr double kMany = 1.5;

struct Degrees {
  std::uint64_t triples = 0;
  std::array<std::uint64_t, 2> anchors{};  ///< different ones, by the side that is asked for
};

void add_rank(RankMeans& sums, double rank) {
  ++sums.ranks;
  sums.mrr += 1 / rank;
  sums.hits1 += rank <= 1 ? 1 : 0;
  sums.hits3 += rank <= 3 ? 1 : 0;
  sums.hits10 += rank <= 10 ? 1 : 0;
  sums.mean_rank += rank;
}

RankMeans means_of(RankMeans sums) {
  if (sums.ranks == 0) return sums;
  const auto count = static_cast<double>(sums.ranks);
  for (double* sum : {&sums.mrr, &sums.hits1, &sums.hits3, &sums.hits10, &sums.mean_rank}) {
    *sum /= count;
  }
  return sums;
}

RankMeans sum_up(const EvaluationRow& row, std::span<const Triple> triples,
                 std::span<const Rank> ranks, std::span<const RelationKind> kinds) {
  RankMeans sums;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (row.side && static_cast<std::size_t>(*row.side) != i % 2) continue;
    if (row.kind && kinds[triples[i / 2].relation] != *row.kind) continue;
    add_rank(sums, row.filtered ? ranks[i].filtered : ranks[i].raw);
  }
  return means_of(sums);
}

}  // namespace

std::string_view text_of(RelationKind kind) {
  switch (kind) {
    case RelationKind::OneToOne: return "1-1";
    case RelationKind::OneToMany: return "1-N";
    case RelationKind::ManyToOne: return "N-1";
    case RelationKind::ManyToMany: return "N-N";
  }
  return "";
}

std::vector<RelationKind> relation_kinds(const KnownTriples& known, std::uint32_t relations) {
  std::vector<Degrees> degrees(relations);
  for (const Side side : {Side::Head, Side::Tail}) {
    const auto rows = known.rows(side);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Degrees& of = degrees[rows[i][0]];
      if (side == Side::Tail) ++of.triples;
      const bool is_first = i == 0 || rows[i][0] != rows[i - 1][0] || rows[i][1] != rows[i - 1][1];
      of.anchors[static_cast<std::size_t>(side)] += is_first ? 1 : 0;
    }
  }
  std::vector<RelationKind> kinds;
  for (const Degrees& of : degrees) {
    const auto is_many = [&](Side asked) {
      return static_cast<double>(of.triples) >=
             kMany * static_cast<double>(of.anchors[static_cast<std::size_t>(asked)]);
    };
    const bool many_heads = of.triples > 0 && is_many(Side::Head);
    const bool many_tails = of.triples > 0 && is_many(Side::Tail);
    kinds.push_back(many_heads ? (many_tails ? RelationKind::ManyToMany : RelationKind::ManyToOne)
                               : (many_tails ? RelationKind::OneToMany : RelationKind::OneToOne));
  }
  return kinds;
}

std::vector<EvaluationRow> sum_up_ranks(std::span<const Triple> triples,
                                        std::span<const Rank> ranks,
                                        std::span<const RelationKind> kinds) {
  constexpr std::optional<RelationKind> kKinds[] = {
      std::nullopt, RelationKind::OneToOne, RelationKind::OneToMany, RelationKind::ManyToOne,
      RelationKind::ManyToMany};
  constexpr std::optional<Side> kSides[] = {std::nullopt, Side::Head, Side::Tail};
  std::vector<EvaluationRow> rows;
  for (const bool filtered : {true, false}) {
    for (const auto& kind : kKinds) {
      for (const auto& side : kSides) {
        EvaluationRow& row = rows.emplace_back(EvaluationRow{filtered, side, kind, {}});
        row.means = sum_up(row, triples, ranks, kinds);
      }
    }
  }
  return rows;
}

}  // namespace vecc::kg
