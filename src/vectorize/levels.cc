#include "src/vectorize/levels.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <utility>

namespace vecc::vectorizer {
namespace {

constexpr std::uint32_t kUnknown = ~0u;

/// The component's neurons, numbered locally, with their edges inside the component.
struct Component {
  std::vector<NeuronId> neurons;  ///< ascending
  std::vector<std::uint32_t> vertex;
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> inputs;  ///< local numbers
};

Component collect(const NeuronGraph& graph, const LayerGraph& layers, std::uint32_t component) {
  Component result;
  for (const std::uint32_t v : layers.components[component].vertices) {
    for (const std::uint32_t r : layers.vertices[v].ranges) {
      const NeuronRange& range = graph.ranges[r];
      for (std::uint32_t i = 0; i < range.count; ++i) result.neurons.push_back(range.first + i);
    }
  }
  std::sort(result.neurons.begin(), result.neurons.end());
  boost::unordered_flat_map<NeuronId, std::uint32_t> local;
  local.reserve(result.neurons.size());
  for (std::uint32_t i = 0; i < result.neurons.size(); ++i) local.emplace(result.neurons[i], i);
  for (const NeuronId n : result.neurons) {
    result.vertex.push_back(layers.vertex_of[n]);
    for (std::uint64_t e = graph.input_begin[n]; e < graph.input_begin[n + std::uint64_t{1}]; ++e) {
      if (layers.component_of[layers.vertex_of[graph.inputs[e]]] == component) {
        result.inputs.push_back(local.find(graph.inputs[e])->second);
      }
    }
    result.begin.push_back(result.inputs.size());
  }
  return result;
}

/// Longest path from the component's sources. Iterative: a chain may be millions long.
std::vector<std::uint32_t> earliest_levels(const Component& c) {
  std::vector<std::uint32_t> level(c.neurons.size(), kUnknown);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> stack;  // neuron, next edge
  for (std::uint32_t root = 0; root < c.neurons.size(); ++root) {
    if (level[root] != kUnknown) continue;
    stack.emplace_back(root, c.begin[root]);
    while (!stack.empty()) {
      auto& [n, edge] = stack.back();
      while (edge < c.begin[n + 1] && level[c.inputs[edge]] != kUnknown) ++edge;
      if (edge < c.begin[n + 1]) {
        const std::uint32_t next = c.inputs[edge];
        stack.emplace_back(next, c.begin[next]);
        continue;
      }
      std::uint32_t longest = 0;
      for (std::uint64_t e = c.begin[n]; e < c.begin[n + 1]; ++e) {
        longest = std::max(longest, level[c.inputs[e]] + 1);
      }
      level[n] = longest;
      stack.pop_back();
    }
  }
  return level;
}

/// As late as the readers allow; a neuron without readers inside goes to the last level.
std::vector<std::uint32_t> latest_levels(const Component& c,
                                         const std::vector<std::uint32_t>& earliest) {
  const std::uint32_t last = *std::max_element(earliest.begin(), earliest.end());
  std::vector<std::uint32_t> order(c.neurons.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  // A reader's earliest level is above its inputs', so this order visits readers first.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return earliest[a] > earliest[b]; });
  std::vector<std::uint32_t> latest(c.neurons.size(), last);
  for (const std::uint32_t n : order) {
    for (std::uint64_t e = c.begin[n]; e < c.begin[n + 1]; ++e) {
      latest[c.inputs[e]] = std::min(latest[c.inputs[e]], latest[n] - 1);
    }
  }
  return latest;
}

/// (layers, skip connections)
std::pair<std::uint64_t, std::uint64_t> cost_of(const Component& c,
                                                const std::vector<std::uint32_t>& level) {
  boost::unordered_flat_set<std::uint64_t> level_layers;
  std::uint64_t skips = 0;
  for (std::uint32_t n = 0; n < c.neurons.size(); ++n) {
    level_layers.insert(std::uint64_t{level[n]} << 32 | c.vertex[n]);
    for (std::uint64_t e = c.begin[n]; e < c.begin[n + 1]; ++e) {
      if (level[c.inputs[e]] + 1 != level[n]) ++skips;
    }
  }
  return {level_layers.size(), skips};
}

}  // namespace

Levels level_component(const NeuronGraph& graph, const LayerGraph& layers,
                       std::uint32_t component) {
  const Component c = collect(graph, layers, component);
  const auto earliest = earliest_levels(c);
  const auto latest = latest_levels(c, earliest);
  Levels result;
  result.aligned_at_end = cost_of(c, latest) < cost_of(c, earliest);
  const auto& level = result.aligned_at_end ? latest : earliest;
  result.neurons.resize(*std::max_element(level.begin(), level.end()) + std::size_t{1});
  for (std::uint32_t n = 0; n < c.neurons.size(); ++n) {
    result.neurons[level[n]].push_back(c.neurons[n]);
  }
  return result;
}

}  // namespace vecc::vectorizer
