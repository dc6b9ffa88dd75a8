#include "tests/import_models/typed_formulas.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace vecc::test {
namespace {

using tools::TypedGraph;
using tools::TypedOptions;
using Vector = std::vector<double>;

struct Edge {
  std::uint32_t source, relation, target;
};

// matrix (row-major) times x.
Vector times(const Vector& matrix, const Vector& x) {
  Vector y(matrix.size() / x.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) y[i] += matrix[i * x.size() + k] * x[k];
  }
  return y;
}
double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
void add_scaled(Vector& to, const Vector& x, double factor = 1) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * x[i];
}
Vector part(const Vector& x, std::size_t head, std::size_t size) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(head * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

struct Evaluation {
  const TypedGraph& data;
  const TypedOptions& options;
  const NamedWeights& weights;
  std::vector<Edge> edges = {};

  [[nodiscard]] std::vector<Edge> into(std::uint32_t node) const {
    std::vector<Edge> found;
    for (const Edge& e : edges) {
      if (e.target == node) found.push_back(e);
    }
    return found;
  }
};

NodeValues features(const Evaluation& v) {
  NodeValues x;
  std::vector<std::size_t> seen(v.data.node_type_names.size());  // nodes of each type so far
  for (std::uint32_t node = 0; node < v.data.node_count; ++node) {
    if (!v.options.given_features) {
      x.push_back(v.weights.row("e", node));
      continue;
    }
    const std::uint32_t t = v.data.type_of(node);
    const std::string type(v.data.node_type_names[t]);
    const std::size_t i = seen[t]++;
    const std::size_t dim = v.data.features[t].dim;
    if (dim == 0) {
      x.push_back(v.weights.row("e_" + type, i));
      continue;
    }
    const auto begin = v.data.features[t].values.begin() + static_cast<std::ptrdiff_t>(i * dim);
    x.push_back(times(v.weights.row("x.P_" + type),
                      Vector(begin, begin + static_cast<std::ptrdiff_t>(dim))));
  }
  return x;
}

Vector rgcn_node(const Evaluation& v, const std::string& h, const NodeValues& x,
                 std::uint32_t node) {
  Vector y = times(v.weights.row(h + ".W_0"), x[node]);
  std::uint32_t relations = v.data.relation_count() * (v.options.inverse ? 2 : 1);
  for (std::uint32_t r = 0; r < relations; ++r) {
    Vector sum(y.size());
    double count = 0;
    for (const Edge& e : v.into(node)) {
      if (e.relation != r) continue;
      add_scaled(sum, times(v.weights.row(h + ".W", r), x[e.source]));
      ++count;
    }
    if (count > 0) add_scaled(y, sum, v.options.mean ? 1 / count : 1);
  }
  if (v.weights.has(h + ".b")) add_scaled(y, v.weights.row(h + ".b"));
  return y;
}

Vector softmax(const Vector& scores) {
  if (scores.empty()) return {};
  const double largest = *std::max_element(scores.begin(), scores.end());
  Vector result;
  double sum = 0;
  for (const double s : scores) {
    result.push_back(std::exp(s - largest));
    sum += result.back();
  }
  for (double& a : result) a /= sum;
  return result;
}

Vector rgat_node(const Evaluation& v, const std::string& h, const NodeValues& x, std::uint32_t node,
                 std::size_t dim) {
  const std::vector<Edge> in = v.into(node);
  const std::size_t heads = v.options.heads;
  Vector y;
  for (std::size_t head = 0; head < heads; ++head) {
    Vector scores;
    for (const Edge& e : in) {
      const Vector w = v.weights.row(h + ".W", e.relation);
      const std::size_t a = v.options.shared_attention ? head : e.relation * heads + head;
      const double s = dot(v.weights.row(h + ".a_target", a), times(w, x[node])) +
                       dot(v.weights.row(h + ".a_source", a), times(w, x[e.source]));
      scores.push_back(s > 0 ? s : v.options.slope * s);
    }
    const Vector alphas = softmax(scores);
    Vector sum(dim / heads);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Vector z = times(v.weights.row(h + ".W", in[i].relation), x[in[i].source]);
      add_scaled(sum, part(z, head, dim / heads), alphas[i]);
    }
    y.insert(y.end(), sum.begin(), sum.end());
  }
  if (v.weights.has(h + ".b")) add_scaled(y, v.weights.row(h + ".b"));
  return y;
}

Vector by_type(const Evaluation& v, const std::string& h, const char* name, const Vector& x,
               std::uint32_t node) {
  const std::uint32_t t = v.data.type_of(node);
  Vector y = times(v.weights.row(h + "." + name, t), x);
  const std::string bias = h + ".b_" + name;
  if (v.weights.has(bias)) add_scaled(y, v.weights.row(bias, t));
  return y;
}

Vector hgt_node(const Evaluation& v, const std::string& h, const NodeValues& x, std::uint32_t node,
                std::size_t dim) {
  const std::vector<Edge> in = v.into(node);
  const std::size_t heads = v.options.heads;
  const std::size_t size = dim / heads;
  const Vector q = by_type(v, h, "Q", x[node], node);
  Vector message;
  for (std::size_t head = 0; head < heads; ++head) {
    Vector scores;
    for (const Edge& e : in) {
      const Vector k = part(by_type(v, h, "K", x[e.source], e.source), head, size);
      const std::size_t row = e.relation * heads + head;
      scores.push_back(v.weights.row(h + ".p", row)[0] *
                       dot(part(q, head, size), times(v.weights.row(h + ".A", row), k)) /
                       std::sqrt(static_cast<double>(size)));
    }
    const Vector alphas = softmax(scores);
    Vector sum(size);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Vector value = part(by_type(v, h, "V", x[in[i].source], in[i].source), head, size);
      add_scaled(sum, times(v.weights.row(h + ".M", in[i].relation * heads + head), value),
                 alphas[i]);
    }
    for (const double m : sum) message.push_back(m * (1 + std::erf(m / std::sqrt(2.0))) / 2);
  }
  Vector y = by_type(v, h, "O", message, node);
  if (v.options.skip && x[node].size() == dim) {
    const double gate = 1 / (1 + std::exp(-v.weights.row(h + ".skip", v.data.type_of(node))[0]));
    for (std::size_t i = 0; i < dim; ++i) y[i] = gate * y[i] + (1 - gate) * x[node][i];
  }
  return y;
}

void normalize(Vector& x) {
  double mean = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  double variance = 0;
  for (const double value : x) {
    variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
  }
  for (double& value : x) value = (value - mean) / std::sqrt(variance + 1e-10);
}

}  // namespace

NodeValues evaluate_formula(std::string_view model, const TypedGraph& data,
                            const TypedOptions& options, const NamedWeights& weights) {
  Evaluation v{data, options, weights};
  for (std::size_t e = 0; e < data.edge_count(); ++e) {
    v.edges.push_back({data.source[e], data.relation[e], data.target[e]});
    if (!options.inverse) continue;
    v.edges.push_back({data.target[e], data.relation[e] + data.relation_count(), data.source[e]});
  }
  NodeValues x = features(v);
  for (std::size_t layer = 1; layer < options.dims.size(); ++layer) {
    const std::string h = "h" + std::to_string(layer);
    const std::size_t dim = options.dims[layer];
    NodeValues next;
    for (std::uint32_t node = 0; node < data.node_count; ++node) {
      next.push_back(model == "rgcn"   ? rgcn_node(v, h, x, node)
                     : model == "rgat" ? rgat_node(v, h, x, node, dim)
                                       : hgt_node(v, h, x, node, dim));
      if (options.layer_norm) normalize(next.back());
      if (layer + 1 == options.dims.size()) continue;
      for (double& value : next.back()) value = std::max(value, 0.0);
    }
    x = std::move(next);
  }
  return x;
}

}  // namespace vecc::test
