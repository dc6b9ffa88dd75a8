#include "tools/import/models/scores/triple_list.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

std::string_view option_of(Split split) {
  switch (split) {
    case Split::Unspecified: return "unspecified";
    case Split::Train: return "train";
    case Split::Validation: return "valid";
    case Split::Test: return "test";
  }
  return "";
}

Split split_of(const TypedGraph& data, std::uint64_t edge) {
  return data.edge_split.empty() ? Split::Unspecified : data.edge_split[edge];
}

// `valid: 0, test: 20466`
std::string count_splits(const TypedGraph& data) {
  std::uint64_t counts[4] = {};
  for (std::uint64_t e = 0; e < data.edge_count(); ++e) {
    ++counts[static_cast<std::size_t>(split_of(data, e))];
  }
  std::string text;
  for (const Split split : {Split::Train, Split::Validation, Split::Test, Split::Unspecified}) {
    const std::uint64_t count = counts[static_cast<std::size_t>(split)];
    if (count == 0) continue;
    text +=
        (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(option_of(split));
  }
  return text.empty() ? "no triples" : text;
}

Result<std::vector<std::uint64_t>> select_edges(const TypedGraph& data,
                                                const ScoreOptions& options) {
  std::vector<std::uint64_t> edges;
  for (std::uint64_t e = 0; e < data.edge_count(); ++e) {
    if (options.first > 0 && edges.size() == options.first) break;
    if (!options.triples || split_of(data, e) == *options.triples) edges.push_back(e);
  }
  if (!edges.empty()) return edges;
  const std::string_view asked = options.triples ? option_of(*options.triples) : "all";
  return Errors(
      ErrorCode::Usage, escape_terminal(data.name),
      "no triples for --triples=" + std::string(asked) + ": the data has " + count_splits(data));
}

// A triple's own random stream.
SplitMix random_of(std::int64_t seed, std::uint64_t edge) {
  return SplitMix(
      static_cast<std::int64_t>(mix_bits(mix_bits(static_cast<std::uint64_t>(seed)) + edge)));
}

// Every query's triple, repeated ones included.
Result<std::vector<Triple>> draw_queries(const TypedGraph& data, const ScoreOptions& options,
                                         const std::vector<std::uint64_t>& edges) {
  const Corruption corruption(data);
  std::vector<Triple> queries;
  queries.reserve(edges.size() * (options.negatives + std::size_t{1}));
  for (const std::uint64_t e : edges) {
    const Triple positive{data.source[e], data.relation[e], data.target[e]};
    queries.push_back(positive);
    SplitMix random = random_of(options.seed, e);
    for (std::uint32_t k = 0; k < options.negatives; ++k) {
      VECC_TRY(const Triple negative, corruption.draw(positive, random));
      queries.push_back(negative);
    }
  }
  return queries;
}

// Keeps the first of equal queries; result[q] is the number of query q's triple.
std::vector<std::uint32_t> merge_equal(std::vector<Triple>& queries) {
  const auto count = static_cast<std::uint32_t>(queries.size());
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto difference = queries[a] <=> queries[b];
    return difference != 0 ? difference < 0 : a < b;
  });
  std::vector<std::uint32_t> first(count);  // the first query with the same triple
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool repeats = i > 0 && queries[order[i]] == queries[order[i - 1]];
    first[order[i]] = repeats ? first[order[i - 1]] : order[i];
  }
  std::uint32_t distinct = 0;
  for (std::uint32_t q = 0; q < count; ++q) {
    const bool repeats = first[q] != q;
    if (!repeats) queries[distinct] = queries[q];
    first[q] = repeats ? first[first[q]] : distinct++;
  }
  queries.resize(distinct);
  queries.shrink_to_fit();
  return first;
}

}  // namespace

Result<TripleList> list_triples(const TypedGraph& data, const ScoreOptions& options,
                                const ImportLimits& limits) {
  TripleList list;
  list.negatives = options.negatives;
  VECC_TRY(list.edge, select_edges(data, options));
  const std::uint64_t most =
      std::min<std::uint64_t>(limits.max_neurons, std::numeric_limits<std::uint32_t>::max());
  const std::uint64_t each = std::uint64_t{options.negatives} + 1;
  if (list.edge.size() > most / each) {
    return Errors(ErrorCode::LimitNeurons, escape_terminal(data.name),
                  std::to_string(list.edge.size()) + " triples with " +
                      std::to_string(options.negatives) + " negatives each: more than " +
                      std::to_string(most) + " queries; lower --negatives or score fewer triples");
  }
  VECC_TRY(list.triples, draw_queries(data, options, list.edge));
  list.triple = merge_equal(list.triples);
  return list;
}

}  // namespace vecc::tools
