#include "src/kg/query_plan.h"

#include <algorithm>
#include <tuple>

#include "src/kg/ranks.h"

namespace vecc::kg {
namespace {

struct Item {
  Query scored;
  Query asked;
  std::uint64_t item = 0;

  auto operator<=>(const Item&) const = default;
};

void cut_batches(QueryPlan& plan, BatchKind kind, std::size_t batch_size) {
  for (std::size_t q = 0; q < plan.scored.size(); ++q) {
    const bool is_full = plan.batch.empty() || q - plan.batch.back() == batch_size;
    const bool differs = q > 0 && !fit_together(plan.scored[q - 1], plan.scored[q], kind);
    if (is_full || differs) plan.batch.push_back(q);
  }
  plan.batch.push_back(plan.scored.size());
}

}  // namespace

Query scored_as(const Query& query, std::span<const std::uint32_t> inverse) {
  const bool turns = query.asked == Side::Head && query.relation < inverse.size() &&
                     inverse[query.relation] != kNoInverse;
  return turns ? Query{inverse[query.relation], Side::Tail, query.anchor} : query;
}

bool fit_together(const Query& a, const Query& b, BatchKind kind) {
  switch (kind) {
    case BatchKind::Any: return true;
    case BatchKind::OneRelation: return a.relation == b.relation;
    case BatchKind::OneSide: return a.asked == b.asked;
  }
  return false;
}

QueryPlan plan_queries(std::span<const Triple> triples, std::span<const std::uint32_t> inverse,
                       BatchKind kind, std::size_t batch_size) {
  std::vector<Item> items;
  items.reserve(triples.size() * 2);
  for (std::size_t i = 0; i < triples.size(); ++i) {
    for (const Side side : {Side::Head, Side::Tail}) {
      const Query query = query_of(triples[i], side);
      items.push_back({scored_as(query, inverse), query, 2 * i + static_cast<std::size_t>(side)});
    }
  }
  std::sort(items.begin(), items.end());
  if (kind == BatchKind::OneSide) {
    std::stable_partition(items.begin(), items.end(),
                          [](const Item& item) { return item.scored.asked == Side::Head; });
  }
  QueryPlan plan;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == 0 || std::tie(items[i].scored, items[i].asked) !=
                      std::tie(items[i - 1].scored, items[i - 1].asked)) {
      plan.scored.push_back(items[i].scored);
      plan.asked.push_back(items[i].asked);
      plan.first_item.push_back(i);
    }
    plan.item.push_back(items[i].item);
  }
  plan.first_item.push_back(items.size());
  cut_batches(plan, kind, batch_size);
  return plan;
}

}  // namespace vecc::kg
