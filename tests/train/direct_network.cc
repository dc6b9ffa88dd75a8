#include "tests/train/direct_network.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "tests/train/train_check.h"

namespace vecc::test {
namespace {

Index rows_of(std::vector<std::uint32_t> rows) {
  return Index::compact(std::move(rows));
}

Expr expr_of(const char* text) {
  return value_of(parse_expr(text, "test"));
}

// One row as many.
ValueId spread(Program& p, ValueId row, std::uint32_t rows) {
  return p.gather(row, Index::repeat(1, rows));
}

ValueId times(Program& p, ValueId weight, ValueId x) {
  return p.linear(spread(p, weight, p.op(x).rows), x);
}

}  // namespace

DirectNetwork::DirectNetwork(By by, std::uint32_t layers, std::uint32_t nodes)
    : by_(by), count_(nodes), lists_(layers, std::vector<Members>(nodes)) {
  std::uint32_t state = 5;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    for (std::uint32_t k = 0; k < n % 8; ++k) {
      state = state * 1664525 + 1013904223;
      const std::uint32_t source = (state >> 16) % (n < 7 ? 7 : nodes);
      for (std::vector<Members>& of_layer : lists_) of_layer[n].sources.push_back(source);
    }
  }
}

DirectNetwork::Edges DirectNetwork::edges_of(std::uint32_t layer) const {
  Edges edges;
  for (std::uint32_t n = 0; n < count_; ++n) {
    const Members& into = lists_[layer][n];
    edges.sources.insert(edges.sources.end(), into.sources.begin(), into.sources.end());
    edges.targets.insert(edges.targets.end(), into.sources.size(), n);
    edges.factors.insert(edges.factors.end(), into.sources.size(), into.factor);
    edges.offsets.push_back(static_cast<std::uint32_t>(edges.sources.size()));
  }
  return edges;
}

ValueId DirectNetwork::weight(Program& p, std::uint32_t layer, const char* name,
                              Shape shape) const {
  std::vector<double> values(shape.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(1.3 * static_cast<double>(i) + layer + name[0]) / 2;
  }
  return add_weight(p, name + std::to_string(layer), 1, shape, std::move(values));
}

Program DirectNetwork::program() const {
  Program p(DType::F64);
  std::vector<double> features(std::size_t{count_} * 3);
  for (std::size_t i = 0; i < features.size(); ++i) {
    features[i] = std::sin(1.7 * static_cast<double>(i));
  }
  ValueId h = learns_features_ ? add_weight(p, "x", count_, Shape(3, 1), std::move(features))
                               : p.fact(std::move(features), count_, Shape(3, 1));
  for (std::uint32_t layer = 0; layer < layers(); ++layer) {
    const ValueId own = times(p, weight(p, layer, "V", Shape(3, 3)), h);
    const ValueId w = weight(p, layer, "W", Shape(3, 3));
    const ValueId around =
        weighs_after_ ? times(p, w, aggregate(p, layer, h)) : aggregate(p, layer, times(p, w, h));
    const ValueId both[] = {around, own};
    h = p.map(expr_of(layer + 1 < layers() ? "tanh(sum($0, $1))" : "sum($0, $1)"), both);
  }
  p.output(h, Index::slice(0, count_));
  p.set_sample_count(count_);
  return p;
}

ValueId DirectNetwork::aggregate(Program& p, std::uint32_t layer, ValueId z) const {
  Edges edges = edges_of(layer);
  if (by_ == By::Attention || by_ == By::UnsortedAttention) {
    return attend(p, layer, z, std::move(edges));
  }
  ValueId messages = p.gather(z, rows_of(edges.sources));
  if (leaves_out_empty()) return select(p, messages, edges);
  const Segments segments = Segments::ragged(edges.offsets);
  if (scales_) {
    const auto rows = static_cast<std::uint32_t>(edges.factors.size());
    messages = p.linear(p.fact(edges.factors, rows, Shape::scalar()), messages);
  }
  if (by_ == By::Sum) return p.segment(messages, segments, Combination::Sum);
  const ValueId mean = p.segment(messages, segments, Combination::Avg);
  if (by_ == By::Mean) return mean;
  const ValueId message[] = {messages};
  const ValueId squares = p.map(expr_of("square($0)"), message);
  const ValueId of_both[] = {p.segment(squares, segments, Combination::Avg), mean};
  return p.map(expr_of("sum($0, elproduct(-1, square($1)))"), of_both);
}

// Segments with members; the others are 0.
ValueId DirectNetwork::select(Program& p, ValueId messages, const Edges& edges) const {
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> places(count_);
  for (std::uint32_t n = 0; n < count_; ++n) {
    if (edges.offsets[n + 1] == edges.offsets[n]) continue;
    places[n] = static_cast<std::uint32_t>(offsets.size() - 1);
    offsets.push_back(edges.offsets[n + 1]);
  }
  const auto full = static_cast<std::uint32_t>(offsets.size() - 1);
  for (std::uint32_t n = 0; n < count_; ++n) {
    if (edges.offsets[n + 1] == edges.offsets[n]) places[n] = full;
  }
  const Combination combination = by_ == By::Max     ? Combination::Max
                                  : by_ == By::ElMax ? Combination::ElMax
                                                     : Combination::ElMin;
  const ValueId selected = p.segment(messages, Segments::ragged(offsets), combination);
  const ValueId both[] = {selected, p.fact({0, 0, 0}, 1, Shape(3, 1))};
  return p.gather(p.concat(both), rows_of(places));
}

// s_e = leakyrelu(a z(X) + c z(Y)), its softmax over the edges into X, the sum of s_e z(Y).
ValueId DirectNetwork::attend(Program& p, std::uint32_t layer, ValueId z, Edges edges) const {
  std::vector<std::uint32_t> order(edges.sources.size());  // of what is sorted by targets
  std::iota(order.begin(), order.end(), 0u);
  if (by_ == By::UnsortedAttention) {
    std::ranges::sort(order, {}, [](std::uint32_t e) { return e * 2654435761u; });
    const Edges sorted = edges;
    for (std::size_t e = 0; e < order.size(); ++e) {
      edges.sources[order[e]] = sorted.sources[e];
      edges.targets[order[e]] = sorted.targets[e];
    }
  }
  std::vector<std::uint32_t> back(order.size());
  for (std::uint32_t e = 0; e < order.size(); ++e) back[order[e]] = e;
  const Segments segments = Segments::ragged(edges.offsets);
  const ValueId a = times(p, weight(p, layer, "a", Shape(1, 3)), z);
  const ValueId c = times(p, weight(p, layer, "c", Shape(1, 3)), z);
  const ValueId sides[] = {p.gather(a, rows_of(edges.targets)),
                           p.gather(c, rows_of(edges.sources))};
  const ValueId scores = p.map(expr_of("leakyrelu[0.2](sum($0, $1))"), sides);
  const ValueId softmax =
      p.segment(p.gather(scores, rows_of(order)), segments, Combination::Softmax);
  const ValueId messages =
      p.linear(p.gather(softmax, rows_of(back)), p.gather(z, rows_of(edges.sources)));
  return p.segment(p.gather(messages, rows_of(order)), segments, Combination::Sum);
}

NeuronGraph DirectNetwork::graph() const {
  NeuronGraph graph;
  for (std::uint32_t n = 0; n < count_; ++n) {
    Sample sample;
    sample.output = n;
    sample.has_target = true;
    sample.target_shape = Shape(3, 1);
    sample.target_begin = graph.target_values.size();
    for (const double value : {std::sin(n), std::cos(n), 0.1 * (n % 30)}) {
      graph.target_values.push_back(value);
    }
    graph.samples.push_back(sample);
  }
  return graph;
}

}  // namespace vecc::test
