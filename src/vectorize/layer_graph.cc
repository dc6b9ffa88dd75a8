#include "src/vectorize/layer_graph.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <utility>

namespace vecc::vectorizer {
namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using DirectedGraph = boost::compressed_sparse_row_graph<boost::directedS>;

/// One pointer for all equal functions.
std::vector<const NeuronFunction*> intern_functions(const NeuronGraph& graph) {
  boost::unordered_flat_map<std::string, std::vector<const NeuronFunction*>> by_text;
  std::vector<const NeuronFunction*> interned;
  interned.reserve(graph.functions.size());
  for (const NeuronFunction& function : graph.functions) {
    auto& candidates = by_text[function.text()];
    auto found = std::find_if(candidates.begin(), candidates.end(),
                              [&](const NeuronFunction* other) { return *other == function; });
    if (found == candidates.end()) {
      candidates.push_back(&function);
      interned.push_back(&function);
    } else {
      interned.push_back(*found);
    }
  }
  return interned;
}

std::string vertex_key(const NeuronRange& range, const NeuronFunction* function) {
  std::string key = std::to_string(range.group) + ':';
  if (range.fact == FactKind::NotAFact) {
    key += std::to_string(reinterpret_cast<std::uintptr_t>(function));
  } else {
    key += 'f' + std::to_string(static_cast<int>(range.fact));
    if (range.fact == FactKind::Constant) key += range.shape.text();
  }
  return key;
}

void build_vertices(const NeuronGraph& graph, LayerGraph& result) {
  const auto functions = intern_functions(graph);
  boost::unordered_flat_map<std::string, std::uint32_t> vertex_of_key;
  result.vertex_of.resize(graph.neuron_count());
  for (std::uint32_t r = 0; r < graph.ranges.size(); ++r) {
    const NeuronRange& range = graph.ranges[r];
    const bool is_fact = range.fact != FactKind::NotAFact;
    const NeuronFunction* function = is_fact ? nullptr : functions[range.function];
    const auto next = static_cast<std::uint32_t>(result.vertices.size());
    const auto [entry, is_new] = vertex_of_key.try_emplace(vertex_key(range, function), next);
    if (is_new) result.vertices.push_back({function, range.fact, range.shape, {}});
    result.vertices[entry->second].ranges.push_back(r);
    std::fill_n(result.vertex_of.begin() + range.first, range.count, entry->second);
  }
}

/// Every pair (read vertex, reading vertex) once, self loops included.
Edges build_edges(const NeuronGraph& graph, const LayerGraph& layers) {
  Edges edges;
  std::vector<std::uint32_t> last_reader(layers.vertices.size(), ~0u);
  for (std::uint32_t v = 0; v < layers.vertices.size(); ++v) {
    for (const std::uint32_t r : layers.vertices[v].ranges) {
      const NeuronRange& range = graph.ranges[r];
      const std::uint64_t end = graph.input_begin[std::uint64_t{range.first} + range.count];
      for (std::uint64_t e = graph.input_begin[range.first]; e < end; ++e) {
        const std::uint32_t read = layers.vertex_of[graph.inputs[e]];
        if (last_reader[read] == v) continue;
        last_reader[read] = v;
        edges.emplace_back(read, v);
      }
    }
  }
  return edges;
}

/// Components in topological order with their depth.
void order_components(const Edges& edges, std::size_t component_count, LayerGraph& layers) {
  // Boost numbers components in reverse topological order of the edges.
  for (std::uint32_t& c : layers.component_of) {
    c = static_cast<std::uint32_t>(component_count - 1 - c);
  }
  layers.components.resize(component_count);
  for (std::uint32_t v = 0; v < layers.vertices.size(); ++v) {
    layers.components[layers.component_of[v]].vertices.push_back(v);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> between;
  for (const auto& [read, reader] : edges) {
    const auto from = layers.component_of[read];
    const auto to = layers.component_of[reader];
    if (from == to) {
      layers.components[from].recursive = true;
    } else {
      between.emplace_back(from, to);
    }
  }
  std::sort(between.begin(), between.end());
  for (const auto& [from, to] : between) {
    auto& depth = layers.components[to].depth;
    depth = std::max(depth, layers.components[from].depth + 1);
  }
  std::vector<std::uint32_t> order(component_count);
  for (std::uint32_t c = 0; c < component_count; ++c) order[c] = c;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto& left = layers.components[a];
    const auto& right = layers.components[b];
    return std::pair(left.depth, left.vertices.front()) <
           std::pair(right.depth, right.vertices.front());
  });
  std::vector<LayerComponent> sorted;
  sorted.reserve(component_count);
  std::vector<std::uint32_t> new_index(component_count);
  for (const std::uint32_t c : order) {
    new_index[c] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(layers.components[c]));
  }
  layers.components = std::move(sorted);
  for (std::uint32_t& c : layers.component_of) c = new_index[c];
}

}  // namespace

LayerGraph build_layer_graph(const NeuronGraph& graph) {
  LayerGraph layers;
  build_vertices(graph, layers);
  const Edges edges = build_edges(graph, layers);
  const DirectedGraph directed(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(),
                               layers.vertices.size());
  layers.component_of.resize(layers.vertices.size());
  const std::size_t component_count = boost::strong_components(
      directed, boost::make_iterator_property_map(layers.component_of.begin(),
                                                  boost::get(boost::vertex_index, directed)));
  order_components(edges, component_count, layers);
  return layers;
}

}  // namespace vecc::vectorizer
