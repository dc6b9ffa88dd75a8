#include "tools/import/load/synth.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/support/prefetch.h"
#include "tools/import/load/splitmix.h"

namespace vecc::tools {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

Errors usage(std::string message) {
  return Errors(ErrorCode::Usage, "vecc-import synth", std::move(message));
}

/// Draws targets: uniform, or node `node_of_rank[k]` with a probability proportional to 1 / (k +
/// 1). The weights are the integers floor(2^56 / (k + 1)), so that no float decides anything; for
/// rank k that is 1 / k up to a factor of 1 - k / 2^56, and 2^32 of them sum to less than 2^61.
class TargetSource {
 public:
  TargetSource(const SynthOptions& options, SplitMix& random)
      : nodes_(options.nodes), random_(random) {
    if (!options.zipf) return;
    node_of_rank_.resize(nodes_);
    cumulative_.resize(nodes_);
    std::uint64_t sum = 0;
    for (std::uint32_t k = 0; k < nodes_; ++k) {
      node_of_rank_[k] = k;
      sum += (std::uint64_t{1} << 56) / (k + std::uint64_t{1});
      cumulative_[k] = sum;
    }
    for (std::uint32_t k = nodes_; k > 1; --k) {
      std::swap(node_of_rank_[k - 1], node_of_rank_[random_.below(k)]);
    }
    make_guide(sum);
  }
  std::uint32_t draw() {
    if (cumulative_.empty()) return static_cast<std::uint32_t>(random_.below(nodes_));
    const std::uint64_t at = random_.below(cumulative_.back());
    const auto begin = cumulative_.begin() + guide_[at >> shift_];
    const auto end = cumulative_.begin() + guide_[(at >> shift_) + 1] + 1;
    const auto rank = std::upper_bound(begin, end, at);
    return node_of_rank_[static_cast<std::size_t>(rank - cumulative_.begin())];
  }

 private:
  // guide_[g] is the rank of g << shift_: a search then looks at a short part of the table.
  void make_guide(std::uint64_t sum) {
    constexpr int kGuideBits = 17;
    shift_ = std::max(0, static_cast<int>(std::bit_width(sum)) - kGuideBits);
    std::uint32_t rank = 0;
    for (std::uint64_t g = 0; g <= ((sum - 1) >> shift_) + 1; ++g) {
      while (rank + 1 < nodes_ && cumulative_[rank] <= g << shift_) ++rank;
      guide_.push_back(rank);
    }
  }

  std::uint32_t nodes_;
  SplitMix& random_;
  std::vector<std::uint32_t> node_of_rank_;
  std::vector<std::uint64_t> cumulative_;
  std::vector<std::uint32_t> guide_;
  int shift_ = 0;
};

struct DrawnEdge {
  std::uint32_t source, relation, target;
  std::uint64_t hash;
};

/// Adds drawn edges to a graph, each once. Numbers of edges stand in a table by their hash, open
/// addressing, at most half full: 8 to 16 bytes an edge.
class DistinctEdges {
 public:
  DistinctEdges(TypedGraph& graph, std::uint64_t edges)
      : graph_(graph), slots_(std::bit_ceil(2 * edges + 1), kNone) {}

  /// Asks for the memory that add() will look at.
  void prefetch(const DrawnEdge& edge) const {
    prefetch_to_write(&slots_[edge.hash & (slots_.size() - 1)]);
  }
  /// Number `number` is the edge, unless it is there already.
  bool add(const DrawnEdge& edge, std::uint32_t number) {
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t at = edge.hash & mask;
    for (; slots_[at] != kNone; at = (at + 1) & mask) {
      const std::uint32_t e = slots_[at];
      if (graph_.source[e] == edge.source && graph_.relation[e] == edge.relation &&
          graph_.target[e] == edge.target) {
        return false;
      }
    }
    slots_[at] = number;
    graph_.source[number] = edge.source;
    graph_.relation[number] = edge.relation;
    graph_.target[number] = edge.target;
    return true;
  }

 private:
  TypedGraph& graph_;
  std::vector<std::uint32_t> slots_;
};

std::uint64_t hash_of(const DrawnEdge& edge) {
  return mix_bits(mix_bits(std::uint64_t{edge.source} << 32 | edge.target) + edge.relation);
}

Result<void> check(const SynthOptions& options) {
  if (options.nodes == 0) return usage("--nodes=0, expected at least 1");
  if (options.types == 0) return usage("--types=0, expected at least 1");
  if (options.edges >= kNone) {
    return Errors(ErrorCode::LimitEdges, "vecc-import synth",
                  "--edges=" + std::to_string(options.edges) + ", expected fewer than " +
                      std::to_string(kNone));
  }
  // pairs * types may not fit 64 bits; edges * 2 does.
  const std::uint64_t pairs = std::uint64_t{options.nodes} * options.nodes;
  const bool fits =
      options.edges * 2 / options.types < pairs || options.edges * 2 == pairs * options.types;
  if (!fits) {
    return usage("--edges=" + std::to_string(options.edges) + ": more than half of the " +
                 std::to_string(pairs * options.types) + " distinct edges of " +
                 std::to_string(options.nodes) + " nodes and " + std::to_string(options.types) +
                 " types; raise --nodes or --types");
  }
  return {};
}

// From a stream of its own, so that edges are the same with labels and without.
void draw_labels(const SynthOptions& options, TypedGraph& graph) {
  for (std::uint32_t c = 0; c < options.classes; ++c) {
    graph.label_names.push_back("c" + std::to_string(c));
  }
  if (options.classes == 0) return;
  SplitMix random(static_cast<std::int64_t>(mix_bits(static_cast<std::uint64_t>(options.seed))));
  graph.labels.reserve(options.nodes);
  for (std::uint32_t node = 0; node < options.nodes; ++node) {
    graph.labels.push_back({node, static_cast<std::uint32_t>(random.below(options.classes))});
  }
}

}  // namespace

Result<TypedGraph> make_random_graph(const SynthOptions& options) {
  VECC_TRY_VOID(check(options));
  TypedGraph graph;
  graph.name = "synth";
  graph.node_count = options.nodes;
  graph.node_type_names.push_back("node");
  for (std::uint32_t r = 0; r < options.types; ++r) {
    graph.relation_names.push_back("r" + std::to_string(r));
  }
  graph.source.resize(options.edges);
  graph.target.resize(options.edges);
  graph.relation.resize(options.edges);
  SplitMix random(options.seed);
  TargetSource targets(options, random);
  DistinctEdges distinct(graph, options.edges);
  // Drawn some at a time: their places in a large table are fetched side by side. What is drawn
  // does not depend on what is there already, so the number drawn at a time changes nothing.
  std::array<DrawnEdge, 64> drawn{};
  for (std::uint32_t count = 0; count < options.edges;) {
    for (DrawnEdge& edge : drawn) {
      edge.source = static_cast<std::uint32_t>(random.below(options.nodes));
      edge.relation = static_cast<std::uint32_t>(random.below(options.types));
      edge.target = targets.draw();
      edge.hash = hash_of(edge);
      distinct.prefetch(edge);
    }
    for (const DrawnEdge& edge : drawn) {
      if (count < options.edges && distinct.add(edge, count)) ++count;
    }
  }
  draw_labels(options, graph);
  return graph;
}

}  // namespace vecc::tools
