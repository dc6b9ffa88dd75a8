#include "tests/agreement/known_gradient_differences.h"

#include <algorithm>
#include <stdexcept>

namespace vecc::test {
namespace {

void require(bool condition) {
  if (!condition) throw std::runtime_error("not the known difference");
}

ExpectedGradient& find(std::vector<ExpectedGradient>& list, std::uint64_t id) {
  const auto found = std::ranges::find(list, id, &ExpectedGradient::id);
  require(found != list.end());
  return *found;
}

WeightId find_weight(const NeuronGraph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph.weight_tables, name, &WeightTable::name);
  require(found != graph.weight_tables.end());
  return found->first;
}

void scale(ExpectedGradients& expected, const ExpectedGradient& gradient, double factor) {
  for (std::size_t i = 0; i < gradient.shape.size(); ++i) {
    expected.values[gradient.begin + i] *= factor;
  }
}

/// How many lukasiewicz neurons stand from a neuron's value to the output; the same on all paths,
/// as rules are in layers. -1 for a neuron that the output does not read.
std::vector<int> count_lukasiewicz(const NeuronGraph& graph, NeuronId output) {
  std::vector<int> counts(graph.neuron_count(), -1);
  std::vector<NeuronId> pending{output};
  counts[output] = 0;
  while (!pending.empty()) {
    const NeuronId neuron = pending.back();
    pending.pop_back();
    const NeuronRange& range = graph.ranges[graph.range_of(neuron)];
    if (range.fact != FactKind::NotAFact) continue;
    const bool own =
        graph.functions[range.function].transformation.id == Transformation::Lukasiewicz;
    for (std::uint64_t e = graph.input_begin[neuron]; e < graph.input_begin[neuron + 1]; ++e) {
      int& count = counts[graph.inputs[e]];
      const int through = counts[neuron] + (own ? 1 : 0);
      require(count == -1 || count == through);
      if (count == -1) pending.push_back(graph.inputs[e]);
      count = through;
    }
  }
  return counts;
}

/// What the neurons pass that read a weight: their own value's count, and one for themselves.
int count_at_weight(const NeuronGraph& graph, const std::vector<int>& counts, WeightId weight) {
  for (const NeuronRange& range : graph.ranges) {
    if (range.fact != FactKind::NotAFact || range.weight_begin == kNoColumn) continue;
    const std::uint64_t edges =
        graph.input_begin[range.first + range.count] - graph.input_begin[range.first];
    for (std::uint64_t e = 0; e < edges; ++e) {
      if (graph.weights[range.weight_begin + e] != weight) continue;
      return counts[graph.inputs[graph.input_begin[range.first] + e]];
    }
  }
  throw std::runtime_error("nobody reads the weight");
}

/// The derivative s (1 - s) lacks the factor 6, once a lukasiewicz neuron on the way.
void correct_lukasiewicz(const NeuronGraph& graph, ExpectedGradients& expected) {
  const std::vector<int> counts = count_lukasiewicz(graph, graph.samples.at(0).output);
  const auto factor = [](int count) {
    double result = 1;
    for (; count > 0; --count) result *= 6;
    return result;
  };
  for (const ExpectedGradient& g : expected.samples.at(0).neurons) {
    scale(expected, g, factor(counts.at(g.id)));
  }
  for (const ExpectedGradient& g : expected.samples.at(0).weights) {
    const auto weight = static_cast<WeightId>(g.id);
    scale(expected, g, factor(count_at_weight(graph, counts, weight)));
  }
}

/// A scalar weight, or offset, meets vectors: the gradient there is that of a whole vector (g), or
/// matrix (g x^T), of which its update takes entry 0. The derivative is the sum over the entries
/// of g, or of g * x, which the matrix has on its diagonal.
void correct_scalar(const NeuronGraph& graph, ExpectedGradients& expected, std::string_view name) {
  ExpectedGradient& g = find(expected.samples.at(0).weights, find_weight(graph, name));
  require(!g.shape.is_scalar() && (g.shape.cols() == 1 || g.shape.cols() == g.shape.rows()));
  const std::size_t step = g.shape.cols() + (g.shape.cols() == 1 ? 0 : 1);
  double sum = 0;
  for (std::size_t i = 0; i < g.shape.size(); i += step) sum += expected.values[g.begin + i];
  g.shape = Shape::scalar();
  expected.values[g.begin] = sum;
}

/// The neuron at place 0 of the topological order, here the learnable fact of w3, is left out of
/// the updates there.
void correct_first_neuron(const NeuronGraph& graph, ExpectedGradients& expected) {
  const WeightId weight = find_weight(graph, "w3");
  SampleGradients& sample = expected.samples.at(0);
  require(std::ranges::find(sample.weights, weight, &ExpectedGradient::id) == sample.weights.end());
  for (const NeuronRange& range : graph.ranges) {
    if (range.fact != FactKind::Learnable || graph.weights[range.weight_begin] != weight) continue;
    ExpectedGradient gradient = find(sample.neurons, range.first);
    gradient.id = weight;
    sample.weights.push_back(gradient);
    return;
  }
  throw std::runtime_error("no fact is w3");
}

/// The constant ONE, first in a sum, swallows what the gradient is, too (known_differences.cc):
/// the output's neurons have 1 instead of the error's gradient, and all others follow.
void correct_one_first(ExpectedGradients& expected) {
  SampleGradients& sample = expected.samples.at(0);
  const double output = expected.value(sample.output)[0];
  double largest = 0;
  for (const ExpectedGradient& g : sample.neurons) {
    largest = std::max(largest, expected.value(g)[0]);
    scale(expected, g, output);
  }
  require(largest == 1);
  for (const ExpectedGradient& g : sample.weights) scale(expected, g, output);
}

}  // namespace

void apply_known_gradient_differences(std::string_view file, const NeuronGraph& graph,
                                      ExpectedGradients& expected) {
  if (file == "micro-lukasiewicz") correct_lukasiewicz(graph, expected);
  if (file == "micro-offset_vec") correct_scalar(graph, expected, "w4");
  if (file == "micro-scalar_w_vec") {
    correct_scalar(graph, expected, "w0");
    correct_scalar(graph, expected, "w3");
  }
  if (file == "micro-learnable_fact") correct_first_neuron(graph, expected);
  if (file == "micro-z_one_first") correct_one_first(expected);
}

}  // namespace vecc::test
