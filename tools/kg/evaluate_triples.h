// Ranks of a data set's triples among all entities, summed up.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "src/kg/evaluation.h"
#include "tools/kg/kg_model.h"
#include "tools/vecc/choose_samples.h"
#include "vecc/backend.h"

namespace vecc::tools {

struct EvaluateTriplesOptions {
  SplitChoice split = SplitChoice::Test;  ///< of a file without splits: all
  bool inverse = true;                    ///< ask for heads by NAME^-1, where the model has it
  std::uint32_t threads = 0;
  Device device;  ///< Cuda: ranks are that GPU's, else the CPU's
  std::function<void(double)> progress;
};

struct TripleEvaluation {
  std::uint64_t triples = 0;
  SplitChoice split = SplitChoice::Test;
  bool inverse = false;  ///< whether inverse relations were asked
  std::vector<kg::EvaluationRow> rows;
};

/// What is ranked, and by what ranks are filtered and summed up.
struct TripleRanking {
  SplitChoice split = SplitChoice::Test;
  std::vector<kg::Triple> asked;
  kg::KnownTriples known;
  std::vector<kg::RelationKind> kinds;
  kg::RankOptions options;
};
/// `relations`: the model's. Error: BadSample (no triples of that split; only some relations have
/// an inverse).
[[nodiscard]] Result<TripleRanking> choose_ranking(const NameTable& relations,
                                                   const KgTriples& data,
                                                   const EvaluateTriplesOptions& options);
/// On the CPU, or on a GPU if the device is one. Errors: those of kg::make_cuda_ranker().
[[nodiscard]] Result<std::vector<kg::Rank>> rank_on(const Device& device,
                                                    const kg::Embeddings& embeddings,
                                                    const TripleRanking& ranking);
[[nodiscard]] TripleEvaluation sum_up(const TripleRanking& ranking,
                                      std::span<const kg::Rank> ranks);

/// Errors: those of choose_ranking() and rank_on().
[[nodiscard]] Result<TripleEvaluation> evaluate_triples(const KgModel& model, const KgTriples& data,
                                                        const EvaluateTriplesOptions& options);

/// {"filtered": {"all": {"both": {"ranks": 2, "mrr": 0.3, "hits@1": ...}, "head": ...}, "1-1":
/// ...}, "raw": ...}
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<kg::EvaluationRow>& rows);
/// A line a row after a header: ranks relations side count mrr hits@1 hits@3 hits@10 mean_rank.
[[nodiscard]] std::vector<std::vector<std::string>> table_of(
    const std::vector<kg::EvaluationRow>& rows);

}  // namespace vecc::tools
