// What is ranked, as lists for the kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/kg/cuda/kernels/rank_arguments.h"
#include "src/kg/known_triples.h"
#include "src/kg/query_plan.h"

namespace vecc::kg {

/// By query and item of a plan: device::RankArguments names them.
struct RankLists {
  std::vector<std::uint32_t> anchors;
  std::vector<std::uint32_t> relations;
  std::vector<std::uint32_t> tails;
  std::vector<std::uint32_t> first_items;
  std::vector<std::uint32_t> item_queries;
  std::vector<std::uint32_t> item_entities;
  std::vector<unsigned long long> first_known;
  std::vector<std::uint32_t> known;
  std::vector<device::RankRun> runs;
  std::vector<std::uint32_t> first_run;  ///< by batch of the plan, and the end

  [[nodiscard]] std::uint64_t bytes() const;
};

/// A plan of fewer than 2^32 items. `tile`: queries of a run at most.
[[nodiscard]] RankLists rank_lists(const QueryPlan& plan, std::span<const Triple> triples,
                                   const KnownTriples& known, std::uint32_t tile);

}  // namespace vecc::kg
