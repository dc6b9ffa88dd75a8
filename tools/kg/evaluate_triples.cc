#include "tools/kg/evaluate_triples.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vecc/escape.h"

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

// The inverse of each relation of the triples; none where the model has none of them.
Result<std::vector<std::uint32_t>> choose_inverse(const KgModel& model,
                                                  const std::vector<kg::Triple>& triples) {
  std::vector<std::uint32_t> inverse = inverse_relations(model);
  const auto has = [&](const kg::Triple& t) { return inverse[t.relation] != kg::kNoInverse; };
  if (std::ranges::none_of(triples, has)) return std::vector<std::uint32_t>();
  const auto lacks = std::ranges::find_if_not(triples, has);
  if (lacks == triples.end()) return inverse;
  return Errors(ErrorCode::BadSample, "evaluate",
                fmt::format("the weights have inverse relations (NAME^-1), but none of \"{}\"; "
                            "--inverse=off asks every relation for heads itself",
                            escape_terminal(model.relations.names()[lacks->relation])));
}

}  // namespace

Result<TripleEvaluation> evaluate_triples(const KgModel& model, const KgTriples& data,
                                          const EvaluateTriplesOptions& options) {
  TripleEvaluation result;
  result.split = data.split.empty() ? SplitChoice::All : options.split;
  std::vector<kg::Triple> asked;
  for (std::size_t i = 0; i < data.triples.size(); ++i) {
    if (data.split.empty() || is_in(data.split[i], options.split)) {
      asked.push_back(data.triples[i]);
    }
  }
  if (asked.empty()) {
    return Errors(ErrorCode::BadSample, "evaluate",
                  fmt::format("there are no triples of the split {}", text_of(options.split)));
  }
  kg::RankOptions ranking;
  ranking.threads = options.threads;
  ranking.progress = options.progress;
  if (options.inverse) {
    VECC_TRY(ranking.inverse, choose_inverse(model, asked));
  }
  const kg::KnownTriples known(data.triples);
  const auto ranks = kg::rank_triples(model.embeddings, asked, known, ranking);
  const auto kinds = kg::relation_kinds(data.triples, model.embeddings.relations);
  result.triples = asked.size();
  result.inverse = !ranking.inverse.empty();
  result.rows = kg::sum_up_ranks(asked, ranks, kinds);
  return result;
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
