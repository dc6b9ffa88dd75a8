#include "tests/agreement/gradient_agreement.h"

#include <algorithm>

#include "tests/agreement/difference.h"

namespace vecc::test {
namespace {

// Far below the 1e-6 that is asked for: the gradients of one atom among many are small numbers.
constexpr double kTolerance = 1e-12;

class GradientComparison {
 public:
  GradientComparison(const NeuronGraph& graph, const ReferenceValues& values,
                     const ExpectedGradients& expected)
      : graph_(graph), values_(values), expected_(expected) {}

  Agreement compare_all() {
    if (expected_.samples.size() != graph_.samples.size()) {
      return {"gradients", 0, "other samples than expected"};
    }
    for (std::size_t s = 0; s < expected_.samples.size(); ++s) {
      if (graph_.sample_ids[s] != expected_.samples[s].id) {
        return {"gradients", 0, "sample " + expected_.samples[s].id + " is misplaced"};
      }
      const auto gradients = differentiate_reference(graph_, values_, output_gradients(s));
      if (!gradients) return {"gradients", 0, gradients.error().text()};
      compare_sample(expected_.samples[s], *gradients);
    }
    return {"gradients", record_.largest(), record_.failure()};
  }

 private:
  // Zero for all samples but one.
  [[nodiscard]] std::vector<double> output_gradients(std::size_t sample) const {
    std::vector<double> result;
    for (std::size_t s = 0; s < graph_.samples.size(); ++s) {
      if (s == sample) {
        const auto own = expected_.value(expected_.samples[s].output);
        result.insert(result.end(), own.begin(), own.end());
      } else {
        result.resize(result.size() + values_.value(graph_.samples[s].output).size());
      }
    }
    return result;
  }

  void compare_sample(const SampleGradients& sample, const ReferenceGradients& found) {
    const std::string in = " in sample " + sample.id;
    for (const ExpectedGradient& neuron : sample.neurons) {
      const auto id = static_cast<NeuronId>(neuron.id);
      record_.compare(graph_.file_id(id) == neuron.id ? found.neuron(id) : kNothing,
                      expected_.value(neuron), [&] { return graph_.describe(id) + in; });
    }
    std::vector<bool> listed(graph_.weight_count());
    for (const ExpectedGradient& weight : sample.weights) {
      const auto id = static_cast<WeightId>(weight.id);
      listed.at(id) = true;
      record_.compare(found.weight(id), expected_.value(weight), [&] { return name(id) + in; });
    }
    for (WeightId id = 0; id < graph_.weight_count(); ++id) {
      if (listed[id]) continue;
      const std::vector<double> zeros(found.weight(id).size());
      record_.compare(found.weight(id), zeros, [&] { return name(id) + in; });
    }
  }

  // A dump's weights are tables of one, numbered from 0.
  [[nodiscard]] std::string name(WeightId id) const {
    return "weight " + graph_.weight_tables.at(graph_.table_of_weight.at(id)).name;
  }

  static constexpr std::span<const double> kNothing{};
  const NeuronGraph& graph_;
  const ReferenceValues& values_;
  const ExpectedGradients& expected_;
  DifferenceRecord record_{kTolerance};
};

}  // namespace

Agreement compare_gradients(const NeuronGraph& graph, const ExpectedGradients& expected) {
  const auto values = evaluate_reference(graph);
  if (!values) return {"gradients", 0, values.error().text()};
  return GradientComparison(graph, *values, expected).compare_all();
}

}  // namespace vecc::test
