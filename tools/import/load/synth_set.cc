#include "tools/import/load/synth_set.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/load/splitmix.h"

namespace vecc::tools {
namespace {

constexpr std::uint32_t kMostNeighbours = 4;
constexpr std::uint32_t kBranch = 4;  // a node hangs on one of that many before it
constexpr std::uint32_t kRing = 5;    // a ring closes to the node that many before
constexpr std::uint32_t kRingOneIn = 6;
// Of 100 nodes, and of 100 edges, how many have each label.
constexpr std::array<std::uint32_t, 7> kNodeLabels{70, 12, 11, 3, 2, 1, 1};
constexpr std::array<std::uint32_t, 3> kEdgeLabels{60, 15, 25};

std::uint32_t draw_label(std::span<const std::uint32_t> shares, SplitMix& random) {
  std::uint64_t at = random.below(100);
  std::uint32_t label = 0;
  while (at >= shares[label]) at -= shares[label++];
  return label;
}

/// Appends one graph after another to a set.
class GraphMaker {
 public:
  GraphMaker(GraphSet& set, SplitMix& random) : set_(set), random_(random) {}

  void add(std::uint32_t nodes) {
    begin_ = set_.node_begin.back();
    degrees_.assign(nodes, 0);
    joins_ = false;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      set_.node_labels.push_back(draw_label(kNodeLabels, random_));
      if (node == 0) continue;
      const std::uint32_t parent = draw_parent(node);
      add_edge(node, parent);
      if (node >= kRing && random_.below(kRingOneIn) == 0) close_ring(node, parent);
    }
    set_.node_begin.push_back(begin_ + nodes);
    set_.graph_labels.push_back(joins_ ? 1 : 0);
  }

 private:
  // The node before has at most two neighbours, so that the search ends.
  std::uint32_t draw_parent(std::uint32_t node) {
    std::uint32_t parent = 0;
    do {
      parent = node - 1 - static_cast<std::uint32_t>(random_.below(std::min(node, kBranch)));
    } while (degrees_[parent] == kMostNeighbours);
    return parent;
  }
  void close_ring(std::uint32_t node, std::uint32_t parent) {
    const std::uint32_t other = node - kRing;
    if (other != parent && degrees_[other] < kMostNeighbours) add_edge(node, other);
  }
  void add_edge(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t label = draw_label(kEdgeLabels, random_);
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      set_.source.push_back(begin_ + from);
      set_.target.push_back(begin_ + to);
      set_.edge_labels.push_back(label);
    }
    ++degrees_[a];
    ++degrees_[b];
    const std::uint32_t first = set_.node_labels[begin_ + a];
    const std::uint32_t second = set_.node_labels[begin_ + b];
    joins_ = joins_ || (std::min(first, second) == 1 && std::max(first, second) == 2);
  }

  GraphSet& set_;
  SplitMix& random_;
  std::uint32_t begin_ = 0;
  std::vector<std::uint32_t> degrees_;
  bool joins_ = false;  // labels 1 and 2
};

Result<void> check(const SynthSetOptions& options) {
  const auto refuse = [](ErrorCode code, std::string message) {
    return Errors(code, "vecc-import synth-set", std::move(message));
  };
  if (options.graphs == 0) return refuse(ErrorCode::Usage, "--graphs=0, expected at least 1");
  if (options.nodes < 2) {
    return refuse(ErrorCode::Usage,
                  "--nodes=" + std::to_string(options.nodes) + ", expected at least 2");
  }
  // A graph of n nodes has at most n - 1 + n edges, each in both directions.
  const std::uint64_t most = std::uint64_t{options.graphs} * (options.nodes + options.nodes / 2);
  constexpr std::uint64_t kLimit = 0xFFFFFFF0;
  if (most > kLimit / 4) {
    return refuse(ErrorCode::LimitEdges,
                  "--graphs=" + std::to_string(options.graphs) + " of up to " +
                      std::to_string(options.nodes + options.nodes / 2) +
                      " nodes, expected at most " + std::to_string(kLimit / 4) +
                      " nodes in all; lower --graphs or --nodes");
  }
  return {};
}

template <std::size_t n>
std::vector<std::int64_t> count_up() {
  std::vector<std::int64_t> values(n);
  for (std::size_t at = 0; at < n; ++at) values[at] = static_cast<std::int64_t>(at);
  return values;
}

}  // namespace

Result<GraphSet> make_random_graph_set(const SynthSetOptions& options) {
  VECC_TRY_VOID(check(options));
  GraphSet set;
  set.name = "synth";
  set.node_label_values = count_up<kNodeLabels.size()>();
  set.edge_label_values = count_up<kEdgeLabels.size()>();
  set.graph_label_values = count_up<2>();
  SplitMix random(options.seed);
  GraphMaker maker(set, random);
  const std::uint32_t least = std::max(1u, options.nodes / 2);
  const std::uint32_t spread = 2 * (options.nodes - least) + 1;
  for (std::uint32_t graph = 0; graph < options.graphs; ++graph) {
    maker.add(least + static_cast<std::uint32_t>(random.below(spread)));
  }
  return set;
}

}  // namespace vecc::tools
