#include "src/kg/cuda/rank_lists.h"

namespace vecc::kg {

std::uint64_t RankLists::bytes() const {
  const std::uint64_t words = anchors.size() + relations.size() + tails.size() +
                              first_items.size() + item_queries.size() + item_entities.size() +
                              known.size();
  return words * sizeof(std::uint32_t) + first_known.size() * sizeof(first_known[0]) +
         runs.size() * sizeof(device::RankRun);
}

RankLists rank_lists(const QueryPlan& plan, std::span<const Triple> triples,
                     const KnownTriples& known, std::uint32_t tile) {
  RankLists lists;
  for (std::uint32_t q = 0; q < plan.scored.size(); ++q) {
    const Query& query = plan.scored[q];
    lists.anchors.push_back(query.anchor);
    lists.relations.push_back(query.relation);
    lists.tails.push_back(query.asked == Side::Tail ? 1 : 0);
    lists.first_items.push_back(static_cast<std::uint32_t>(plan.first_item[q]));
    for (std::uint64_t i = plan.first_item[q]; i < plan.first_item[q + 1]; ++i) {
      const std::uint64_t item = plan.item[i];
      lists.item_queries.push_back(q);
      lists.item_entities.push_back(entity_on(triples[item / 2], static_cast<Side>(item % 2)));
    }
    lists.first_known.push_back(lists.known.size());
    for (const KnownTriples::Row& row : known.answers(plan.asked[q])) {
      lists.known.push_back(row[2]);
    }
  }
  lists.first_items.push_back(static_cast<std::uint32_t>(plan.item.size()));
  lists.first_known.push_back(lists.known.size());
  for (std::size_t b = 0; b + 1 < plan.batch.size(); ++b) {
    lists.first_run.push_back(static_cast<std::uint32_t>(lists.runs.size()));
    for (auto q = static_cast<std::uint32_t>(plan.batch[b]); q < plan.batch[b + 1]; ++q) {
      const device::RankRun* const last = q > plan.batch[b] ? &lists.runs.back() : nullptr;
      const bool goes_on = last != nullptr && last->relation == lists.relations[q] &&
                           last->tail == lists.tails[q] && last->count < tile;
      if (!goes_on) lists.runs.push_back({lists.relations[q], lists.tails[q], q, 0});
      ++lists.runs.back().count;
    }
  }
  lists.first_run.push_back(static_cast<std::uint32_t>(lists.runs.size()));
  return lists;
}

}  // namespace vecc::kg
