#include "src/kg/known_triples.h"

#include <algorithm>

namespace vecc::kg {

KnownTriples::KnownTriples(std::span<const Triple> triples) {
  for (const Side side : {Side::Head, Side::Tail}) {
    std::vector<Row>& rows = rows_[static_cast<std::size_t>(side)];
    rows.reserve(triples.size());
    for (const Triple& triple : triples) {
      const Query query = query_of(triple, side);
      rows.push_back({query.relation, query.anchor, entity_on(triple, side)});
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }
}

std::span<const KnownTriples::Row> KnownTriples::answers(const Query& query) const {
  const std::vector<Row>& rows = rows_[static_cast<std::size_t>(query.asked)];
  const auto begin =
      std::lower_bound(rows.begin(), rows.end(), Row{query.relation, query.anchor, 0});
  const auto end =
      std::upper_bound(begin, rows.end(), Row{query.relation, query.anchor, UINT32_MAX});
  return {begin, end};
}

bool KnownTriples::contains(const Query& query, std::uint32_t answer) const {
  const std::vector<Row>& rows = rows_[static_cast<std::size_t>(query.asked)];
  return std::binary_search(rows.begin(), rows.end(), Row{query.relation, query.anchor, answer});
}

}  // namespace vecc::kg
