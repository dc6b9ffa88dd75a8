#include "src/kg/train/edge_mask.h"

#include <algorithm>

#include "src/kg/train/draws.h"

namespace vecc::kg {

EdgeMask::EdgeMask(const MessageGraph& graph, std::uint32_t relations,
                   const EncoderOptions& options, std::uint64_t seed)
    : relations_(relations), options_(options), seed_(seed) {
  std::vector<Key> pairs;
  for (std::uint32_t e = 0; e < graph.edge_count(); ++e) {
    pairs.push_back(pair_of({graph.source[e], graph.type[e], graph.target[e]}));
  }
  pairs_ = pairs;
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  for (const Key& pair : pairs) {
    const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
    pair_of_edge_.push_back(static_cast<std::uint32_t>(at - pairs_.begin()));
  }
  keeps_edge_.resize(pairs.size());
}

EdgeMask::Key EdgeMask::pair_of(const Key& triple) const {
  const auto& [head, relation, tail] = triple;
  if (options_.inverse.empty()) {
    return relation < relations_ ? triple : Key{tail, relation - relations_, head};
  }
  return std::min(triple, Key{tail, options_.inverse[relation], head});
}

void EdgeMask::leave_out(const Query& query, std::uint32_t answer) {
  const Key pair = pair_of(query.asked == Side::Tail ? Key{query.anchor, query.relation, answer}
                                                     : Key{answer, query.relation, query.anchor});
  const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
  VECC_CHECK(at != pairs_.end() && *at == pair, "a positive that has no message edge");
  keeps_pair_[static_cast<std::size_t>(at - pairs_.begin())] = 0;
}

std::span<const std::uint8_t> EdgeMask::draw(const TrainingBatch& batch, const BatchMaker& maker) {
  keeps_pair_.assign(pairs_.size(), 1);
  const Draws draws(seed_, DrawStream::MessageEdges, batch.step);
  for (std::size_t pair = 0; options_.edge_dropout > 0 && pair < pairs_.size(); ++pair) {
    keeps_pair_[pair] = draws.uniform(pair) < options_.edge_dropout ? 0 : 1;
  }
  for (std::size_t i = 0; options_.leaves_scored_out && i < batch.queries.size(); ++i) {
    const Query& query = batch.queries[i];
    leave_out(query, batch.answers[i]);
    if (!maker.has_labels()) continue;
    for (const KnownTriples::Row& row : maker.known().answers(query)) leave_out(query, row[2]);
  }
  for (std::size_t e = 0; e < keeps_edge_.size(); ++e) {
    keeps_edge_[e] = keeps_pair_[pair_of_edge_[e]];
  }
  return keeps_edge_;
}

}  // namespace vecc::kg
