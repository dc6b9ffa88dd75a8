#include "tests/import_models/small_graph_set.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

namespace vecc::test {
namespace {

using Features = GraphSetOptions::Features;
using Nodes = std::vector<Vector>;  // a value for each node

Vector multiply(const Vector& matrix, const Vector& x) {
  const std::size_t rows = matrix.size() / x.size();
  Vector y(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < x.size(); ++c) y[r] += matrix[r * x.size() + c] * x[c];
  }
  return y;
}

void add(Vector& y, const Vector& x, double scale = 1) {
  if (y.empty()) y.assign(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += scale * x[i];
}

Vector relu(Vector x) {
  for (double& value : x) value = std::max(value, 0.0);
  return x;
}

std::vector<std::vector<std::uint32_t>> sources_of(const GraphSet& data, bool self_loops) {
  std::vector<std::vector<std::uint32_t>> sources(data.node_count());
  for (std::size_t e = 0; e < data.edge_count(); ++e) {
    if (self_loops && data.source[e] == data.target[e]) continue;
    sources[data.target[e]].push_back(data.source[e]);
  }
  for (std::uint32_t n = 0; self_loops && n < data.node_count(); ++n) sources[n].push_back(n);
  return sources;
}

Vector feature_of(const GraphSet& data, Features features, std::uint32_t node) {
  if (features == Features::OneHot) {
    Vector x(data.node_label_values.size());
    x[data.node_labels[node]] = 1;
    return x;
  }
  if (features == Features::Attributes) {
    const auto begin = data.node_attributes.begin() + node * data.attribute_count;
    return {begin, begin + data.attribute_count};
  }
  if (features == Features::One) return {1};
  return {static_cast<double>(std::count(data.target.begin(), data.target.end(), node))};
}

Vector features_of(const GraphSet& data, const std::vector<Features>& features,
                   std::uint32_t node) {
  Vector x;
  for (const Features each : features) {
    const Vector part = feature_of(data, each, node);
    x.insert(x.end(), part.begin(), part.end());
  }
  return x;
}

Vector edge_features_of(const GraphSet& data, std::size_t edge) {
  Vector e(data.edge_label_values.size());
  if (!e.empty()) e[data.edge_labels[edge]] = 1;
  const auto begin =
      data.edge_attributes.begin() + static_cast<std::ptrdiff_t>(edge * data.edge_attribute_count);
  e.insert(e.end(), begin, begin + data.edge_attribute_count);
  return e;
}

struct Layer {
  const GraphSet& data;
  const WeightsByName& weights;
  std::string name;  // "h1"
  std::uint32_t dim;
  double slope;

  [[nodiscard]] const Vector& weight(const std::string& part) const {
    return weights[name + "." + part];
  }
  [[nodiscard]] Nodes gcn(const Nodes& x) const {
    const auto sources = sources_of(data, false);
    Nodes h(x.size(), Vector(dim));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (const std::uint32_t j : sources[i]) add(h[i], multiply(weight("W"), x[j]));
    }
    return h;
  }
  [[nodiscard]] Nodes sage(const Nodes& x) const {
    const auto sources = sources_of(data, false);
    Nodes h(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      Vector mean(x[i].size());
      for (const std::uint32_t j : sources[i]) add(mean, x[j], 1.0 / sources[i].size());
      h[i] = multiply(weight("W_self"), x[i]);
      add(h[i], multiply(weight("W_neighbours"), mean));
    }
    return h;
  }
  [[nodiscard]] Nodes gin(const Nodes& x) const {
    const auto sources = sources_of(data, false);
    Nodes h(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      Vector sum = x[i];
      for (const std::uint32_t j : sources[i]) add(sum, x[j]);
      h[i] = relu(multiply(weight("W2"), relu(multiply(weight("W1"), sum))));
    }
    return h;
  }
  [[nodiscard]] Nodes gine(const Nodes& x) const {
    Nodes sum = x;
    for (std::size_t e = 0; e < data.edge_count(); ++e) {
      Vector message = x[data.source[e]];
      add(message, multiply(weight("E"), edge_features_of(data, e)));
      add(sum[data.target[e]], relu(message));
    }
    Nodes h;
    for (const Vector& a : sum) {
      h.push_back(relu(multiply(weight("W2"), relu(multiply(weight("W1"), a)))));
    }
    return h;
  }
  [[nodiscard]] Nodes gcn_norm(const Nodes& x) const {
    const auto sources = sources_of(data, true);
    Nodes h(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      h[i] = weight("b");
      for (const std::uint32_t j : sources[i]) {
        const double degrees = static_cast<double>(sources[i].size() * sources[j].size());
        add(h[i], multiply(weight("W"), x[j]), 1 / std::sqrt(degrees));
      }
    }
    return h;
  }
  [[nodiscard]] Nodes gat(const Nodes& x) const {
    const auto sources = sources_of(data, true);
    Nodes z;
    for (const Vector& value : x) z.push_back(multiply(weight("W"), value));
    Nodes h(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      Vector alpha;
      double total = 0;
      for (const std::uint32_t j : sources[i]) {
        const double s =
            multiply(weight("a_target"), z[i])[0] + multiply(weight("a_source"), z[j])[0];
        alpha.push_back(std::exp(s > 0 ? s : slope * s));
        total += alpha.back();
      }
      h[i] = weight("b");
      for (std::size_t k = 0; k < alpha.size(); ++k) add(h[i], z[sources[i][k]], alpha[k] / total);
    }
    return h;
  }
};

Nodes evaluate_layer(const std::string& model, const Layer& layer, const Nodes& x) {
  if (model == "gcn") return layer.gcn(x);
  if (model == "sage") return layer.sage(x);
  if (model == "gin") return layer.gin(x);
  if (model == "gcn-norm") return layer.gcn_norm(x);
  if (model == "gine") return layer.gine(x);
  return layer.gat(x);
}

Vector finish(Vector y, const GraphSetOptions& options) {
  using Output = GraphSetOptions::Output;
  Output output = options.output;
  if (output == Output::Auto && options.regression) return y;
  if (output == Output::Auto) output = y.size() > 1 ? Output::Softmax : Output::Sigmoid;
  double total = 0;
  for (const double value : y) total += std::exp(value);
  for (double& value : y) {
    if (output == Output::Sigmoid) value = 1 / (1 + std::exp(-value));
    if (output == Output::Softmax) value = std::exp(value) / total;
  }
  return y;
}

}  // namespace

const Vector& WeightsByName::operator[](const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::logic_error("no weight " + name);
  return values[static_cast<std::size_t>(found - names.begin())];
}

GraphSet random_graph_set(std::uint32_t graphs, std::uint32_t classes, std::uint32_t seed) {
  std::mt19937 random(seed);
  GraphSet data;
  data.name = "small";
  data.node_label_values = {-1, 4, 7};
  data.attribute_count = 2;
  data.edge_label_values = {0, 3};
  data.edge_attribute_count = 1;
  for (std::uint32_t g = 0; g < graphs; ++g) {
    const auto nodes = static_cast<std::uint32_t>(1 + random() % 8);
    const std::uint32_t first = data.node_begin.back();
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t e = 0; e < 2 * nodes; ++e) {
      edges.emplace(first + random() % nodes, first + random() % nodes);
    }
    for (const auto& [source, target] : edges) {
      if (target % 4 == 1) continue;  // some nodes have no neighbour
      data.source.push_back(source);
      data.target.push_back(target);
      data.edge_labels.push_back(static_cast<std::uint32_t>(random() % 2));
      data.edge_attributes.push_back((random() % 100) / 50.0 - 1);
    }
    for (std::uint32_t n = 0; n < nodes; ++n) {
      data.node_labels.push_back(static_cast<std::uint32_t>(random() % 3));
      for (int a = 0; a < 2; ++a) data.node_attributes.push_back((random() % 100) / 50.0 - 1);
    }
    data.node_begin.push_back(first + nodes);
    data.graph_labels.push_back(g % classes);
  }
  for (std::uint32_t c = 0; c < classes; ++c) data.graph_label_values.push_back(c);
  return data;
}

std::vector<Vector> evaluate_naively(const std::string& model, const GraphSet& data,
                                     const GraphSetOptions& options, const WeightsByName& weights) {
  Nodes x(data.node_count());
  for (std::uint32_t n = 0; n < data.node_count(); ++n)
    x[n] = features_of(data, options.features, n);
  std::vector<Nodes> layers;
  for (std::uint32_t l = 1; l <= options.layers; ++l) {
    const Layer layer{data, weights, "h" + std::to_string(l), options.dim, options.slope};
    x = evaluate_layer(model, layer, x);
    if (l < options.layers) {
      for (Vector& value : x) value = relu(value);
    }
    layers.push_back(x);
  }
  std::vector<std::vector<std::uint32_t>> items(data.graph_count());  // what is pooled
  for (std::uint32_t g = 0; g < data.graph_count(); ++g) {
    for (std::uint32_t n = data.node_begin[g]; n < data.node_begin[g + 1]; ++n) {
      items[g].push_back(n);
    }
  }
  if (data.has_node_samples) {
    items.clear();
    for (std::uint32_t n = 0; n < data.node_count(); ++n) items.push_back({n});
  }
  std::vector<Vector> outputs(items.size());
  for (std::size_t l = model == "gin" ? 0 : layers.size() - 1; l < layers.size(); ++l) {
    const std::string name = model == "gin" ? "predict.W" + std::to_string(l + 1) : "predict.W";
    for (std::size_t g = 0; g < items.size(); ++g) {
      Vector pool;
      for (const std::uint32_t n : items[g]) add(pool, layers[l][n]);
      const auto count = static_cast<double>(items[g].size());
      for (double& value : pool) value /= options.mean_pool ? count : 1;
      add(outputs[g], multiply(weights[name], pool));
    }
  }
  for (Vector& output : outputs) output = finish(output, options);
  return outputs;
}

}  // namespace vecc::test
