// Ranks of a data set's triples among all entities, summed up.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/kg/evaluation.h"
#include "tools/kg/kg_model.h"
#include "tools/vecc/choose_samples.h"

namespace vecc::tools {

struct EvaluateTriplesOptions {
  SplitChoice split = SplitChoice::Test;  ///< of a file without splits: all
  bool inverse = true;                    ///< ask for heads by NAME^-1, where the model has it
  std::uint32_t threads = 0;
  std::function<void(double)> progress;
};

struct TripleEvaluation {
  std::uint64_t triples = 0;
  SplitChoice split = SplitChoice::Test;
  bool inverse = false;  ///< whether inverse relations were asked
  std::vector<kg::EvaluationRow> rows;
};

/// Error: BadSample (no triples of that split; only some relations have an inverse).
[[nodiscard]] Result<TripleEvaluation> evaluate_triples(const KgModel& model, const KgTriples& data,
                                                        const EvaluateTriplesOptions& options);

/// {"filtered": {"all": {"both": {"ranks": 2, "mrr": 0.3, "hits@1": ...}, "head": ...}, "1-1":
/// ...}, "raw": ...}
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<kg::EvaluationRow>& rows);
/// A line a row after a header: ranks relations side count mrr hits@1 hits@3 hits@10 mean_rank.
[[nodiscard]] std::vector<std::vector<std::string>> table_of(
    const std::vector<kg::EvaluationRow>& rows);

}  // namespace vecc::tools
