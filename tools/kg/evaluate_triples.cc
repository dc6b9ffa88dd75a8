#include "tools/kg/evaluate_triples.h"

#include <fmt/format.h>

#include <utility>

#include "src/kg/cuda/cuda_ranks.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

bool is_in(Split split, SplitChoice choice) {
  switch (choice) {
    case SplitChoice::Train: return split == Split::Train;
    case SplitChoice::Validation: return split == Split::Validation;
    case SplitChoice::Test: return split == Split::Test;
    case SplitChoice::All: return true;
  }
  return false;
}

std::string_view text_of_ranks(const kg::EvaluationRow& row) {
  return row.filtered ? "filtered" : "raw";
}
std::string_view text_of_relations(const kg::EvaluationRow& row) {
  return row.kind ? kg::text_of(*row.kind) : "all";
}
std::string_view text_of_side(const kg::EvaluationRow& row) {
  return !row.side ? "both" : *row.side == kg::Side::Head ? "head" : "tail";
}

std::vector<std::pair<const char*, double>> means_of(const kg::RankMeans& means) {
  return {{"mrr", means.mrr},
          {"hits@1", means.hits1},
          {"hits@3", means.hits3},
          {"hits@10", means.hits10},
          {"mean_rank", means.mean_rank}};
}

}  // namespace

Result<TripleRanking> choose_ranking(const NameTable& relations, const KgTriples& data,
                                     const EvaluateTriplesOptions& options) {
  const SplitChoice split = data.split.empty() ? SplitChoice::All : options.split;
  TripleRanking ranking{split, {}, kg::KnownTriples(data.triples), {}, {}};
  for (std::size_t i = 0; i < data.triples.size(); ++i) {
    if (data.split.empty() || is_in(data.split[i], split)) {
      ranking.asked.push_back(data.triples[i]);
    }
  }
  if (ranking.asked.empty()) {
    return Errors(ErrorCode::BadSample, "evaluate",
                  fmt::format("there are no triples of the split {}", text_of(split)));
  }
  ranking.kinds = kg::relation_kinds(ranking.known, static_cast<std::uint32_t>(relations.size()));
  ranking.options.threads = options.threads;
  ranking.options.progress = options.progress;
  if (options.inverse) {
    std::vector<std::uint32_t> asked;
    for (const kg::Triple& triple : ranking.asked) asked.push_back(triple.relation);
    VECC_TRY(ranking.options.inverse, choose_inverse(relations, asked, "evaluate"));
  }
  return ranking;
}

Result<std::vector<kg::Rank>> rank_on(const Device& device, const kg::Embeddings& embeddings,
                                      const TripleRanking& ranking) {
  if (device.kind != Device::Kind::Cuda) {
    return kg::rank_triples(embeddings, ranking.asked, ranking.known, ranking.options);
  }
  VECC_TRY(const auto ranker, kg::make_cuda_ranker(embeddings, ranking.asked, ranking.known,
                                                   ranking.options, device.index));
  return ranker->rank();
}

TripleEvaluation sum_up(const TripleRanking& ranking, std::span<const kg::Rank> ranks) {
  TripleEvaluation result;
  result.triples = ranking.asked.size();
  result.split = ranking.split;
  result.inverse = !ranking.options.inverse.empty();
  result.rows = kg::sum_up_ranks(ranking.asked, ranks, ranking.kinds);
  return result;
}

Result<TripleEvaluation> evaluate_triples(const KgModel& model, const KgTriples& data,
                                          const EvaluateTriplesOptions& options) {
  VECC_TRY(const TripleRanking ranking, choose_ranking(model.relations, data, options));
  VECC_TRY(const auto ranks, rank_on(options.device, model.embeddings, ranking));
  return sum_up(ranking, ranks);
}

Json json_of(const std::vector<kg::EvaluationRow>& rows) {
  Json result = Json::object();
  for (const kg::EvaluationRow& row : rows) {
    Json means{{"ranks", row.means.ranks}};
    for (const auto& [name, value] : means_of(row.means)) {
      means[name] = row.means.ranks > 0 ? Json(value) : Json();
    }
    result[std::string(text_of_ranks(row))][std::string(text_of_relations(row))]
          [std::string(text_of_side(row))] = std::move(means);
  }
  return result;
}

std::vector<std::vector<std::string>> table_of(const std::vector<kg::EvaluationRow>& rows) {
  std::vector<std::vector<std::string>> lines{{"ranks", "relations", "side", "count"}};
  for (const auto& [name, value] : means_of({})) lines[0].emplace_back(name);
  for (const kg::EvaluationRow& row : rows) {
    auto& line = lines.emplace_back();
    for (const std::string_view word :
         {text_of_ranks(row), text_of_relations(row), text_of_side(row)}) {
      line.emplace_back(word);
    }
    line.push_back(std::to_string(row.means.ranks));
    for (const auto& [name, value] : means_of(row.means)) {
      line.push_back(row.means.ranks > 0 ? fmt::format("{:.4f}", value) : "-");
    }
  }
  return lines;
}

}  // namespace vecc::tools
