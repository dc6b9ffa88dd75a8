#include "tests/cuda/network_of_features.h"

#include <cmath>
#include <numeric>
#include <string>

#include "backends/cuda/cuda_backend.h"
#include "tests/cuda/compiled_batches.h"
#include "tests/support/graph_builder.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {

NeuronGraph network_of_features(std::uint32_t count, std::uint32_t width) {
  GraphBuilder b;
  const GroupIndex facts = b.group("features", NeuronClass::Fact);
  std::vector<NeuronId> nodes;
  for (std::uint32_t n = 0; n < count; ++n) {
    std::vector<double> values(width);
    for (std::uint32_t i = 0; i < width; ++i) values[i] = std::cos(n * 1.3 + i * 0.7);
    nodes.push_back(b.fact(facts, Shape::column(width), values));
  }
  std::uint32_t from = width;
  for (const char* const name : {"h1", "h2"}) {
    std::vector<double> values(std::size_t{3} * from);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.3 * std::sin(2.1 * i + from);
    const GroupIndex rules = b.group(name, NeuronClass::WeightedRule);
    const GroupIndex means = b.group(name, NeuronClass::Aggregation);
    const GroupIndex atoms = b.group(name, NeuronClass::Atom);
    const WeightId w = b.weight(std::string(name) + ".W", Shape(3, from), values);
    const WeightId v = b.weight(std::string(name) + ".V", Shape(3, from), values);
    std::vector<NeuronId> next;
    for (std::uint32_t n = 0; n < count; ++n) {
      GraphBuilder::Inputs members;
      for (std::uint32_t k = 0; k < 1 + n % 7; ++k) {  // few nodes have most of the readers
        const std::uint32_t other = (n * 31 + k * k * 17) % (k % 2 == 0 ? 12 : count);
        members.push_back(b.neuron(rules, function(Combination::Sum), {nodes[other]}, {w}));
      }
      const NeuronId own = b.neuron(rules, function(Combination::Sum), {nodes[n]}, {v});
      const NeuronId mean = b.neuron(means, function(Combination::Avg), members);
      next.push_back(
          b.neuron(atoms, function(Combination::Sum, Transformation::Tanh), {own, mean}));
    }
    nodes = next;
    from = 3;
  }
  for (std::uint32_t n = 0; n < count; n += 3) {
    b.sample(nodes[n], Shape(3, 1), {std::sin(n), std::cos(n), 0.01 * n});
  }
  return b.build();
}

std::optional<std::vector<double>> train_some_steps(const NeuronGraph& graph,
                                                    const TrainOptions& options,
                                                    ExecutionOptions execution) {
  Program program = vectorize(graph)->program;
  program = *optimize(std::move(program));
  execution.device = kTestedGpu;
  std::vector<std::uint32_t> samples(graph.samples.size());
  std::iota(samples.begin(), samples.end(), 0u);
  const auto trainer = make_trainer(graph, program, cuda_backend(), execution, options, samples);
  if (!trainer) return std::nullopt;
  for (int step = 0; step < 5; ++step) {
    const auto done = (*trainer)->step();
    if (!done) return std::nullopt;
  }
  std::vector<double> numbers;
  const auto saved = (*trainer)->save();
  for (const WeightTensor& tensor : saved->tensors) {
    const std::vector<double> values = values_of(tensor);
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

}  // namespace vecc::test
