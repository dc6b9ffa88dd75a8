// Gradients of random graphs against directional finite differences, and their repeatability.
#include <cmath>
#include <optional>

#include "tests/reference/gradient_check.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kRandomGraphs = 300;
constexpr double kSmallStep = 1e-6;

// A graph whose outputs are summed with random factors, and a random direction in the space of
// learnable weights and constant facts.
class DirectionalCheck {
 public:
  DirectionalCheck(const NeuronGraph& graph, std::uint64_t seed) : graph_(graph), random_(seed) {
    const ReferenceValues values = evaluate_reference(graph).value();
    for (const Sample& sample : graph.samples) {
      for (std::size_t i = 0; i < values.value(sample.output).size(); ++i) {
        factors_.push_back(random_.real(-1, 1));
      }
    }
    for (const WeightTable& table : graph.weight_tables) {
      for (std::size_t i = 0; i < table.values.size(); ++i) {
        weight_direction_.push_back(table.learnable ? random_.real(-1, 1) : 0);
      }
    }
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      fact_direction_.push_back(random_.real(-1, 1));
    }
  }

  [[nodiscard]] const std::vector<double>& factors() const { return factors_; }

  /// By central differences; none next to a kink, where two steps disagree, nor on one, where the
  /// two sides do.
  [[nodiscard]] std::optional<double> differences() const {
    const double fine = difference(-kSmallStep, kSmallStep);
    const double coarse = difference(-4 * kSmallStep, 4 * kSmallStep);
    const double sides = difference(0, kSmallStep) - difference(-kSmallStep, 0);
    const double size = std::max(1.0, std::abs(fine));
    if (!(std::abs(fine - coarse) <= 1e-6 * size && std::abs(sides) <= 1e-4 * size)) {
      return std::nullopt;
    }
    return fine;
  }

  /// By the gradients.
  [[nodiscard]] double derivative() const {
    const ReferenceGradients g = differentiate_or_throw(graph_, factors_);
    double sum = 0;
    std::size_t at = 0;
    for (const WeightTable& table : graph_.weight_tables) {
      for (WeightId w = table.first; w < table.first + table.count; ++w) {
        for (const double v : g.weight(w)) sum += v * weight_direction_[at++];
        if (!table.learnable) at += table.shape.size();
      }
    }
    for (const NeuronRange& range : graph_.ranges) {
      if (range.fact != FactKind::Constant) continue;
      std::size_t from = range.value_begin;
      for (NeuronId n = range.first; n < range.first + range.count; ++n) {
        for (const double v : g.neuron(n)) sum += v * fact_direction_[from++];
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] double difference(double below, double above) const {
    return (weighted_outputs(above) - weighted_outputs(below)) / (above - below);
  }

  [[nodiscard]] double weighted_outputs(double step) const {
    NeuronGraph moved = graph_;
    std::size_t at = 0;
    for (WeightTable& table : moved.weight_tables) {
      std::vector<double> values = table.values.doubles();
      for (double& v : values) v += step * weight_direction_[at++];
      table.values = SharedNumbers::of(std::move(values));
    }
    std::vector<double> facts = moved.values.take().doubles();
    for (std::size_t i = 0; i < facts.size(); ++i) facts[i] += step * fact_direction_[i];
    moved.values.append(std::span<const double>(facts));
    const ReferenceValues values = evaluate_reference(moved).value();
    double sum = 0;
    auto factor = factors_.begin();
    for (const Sample& sample : moved.samples) {
      for (const double v : values.value(sample.output)) sum += v * *factor++;
    }
    return sum;
  }

  const NeuronGraph& graph_;
  RandomSource random_;
  std::vector<double> factors_;
  std::vector<double> weight_direction_;
  std::vector<double> fact_direction_;
};

TEST(RandomGradients, AgreeWithDirectionalDifferences) {
  std::uint64_t smooth = 0;
  for (std::uint64_t seed = 0; seed < kRandomGraphs; ++seed) {
    const RandomGraph random = random_graph(random_options(seed));
    const DirectionalCheck check(random.graph, seed);
    const auto differences = check.differences();
    if (!differences) continue;
    ++smooth;
    const double derivative = check.derivative();
    EXPECT_NEAR(derivative, *differences, 1e-6 * std::max(1.0, std::abs(derivative))) << seed;
  }
  EXPECT_GE(smooth, kRandomGraphs * 9 / 10);
}

TEST(RandomGradients, AreTheSameBitsEveryTime) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomGraph random = random_graph(random_options(seed));
    const std::vector<double> factors = DirectionalCheck(random.graph, seed).factors();
    const ReferenceGradients first = differentiate_or_throw(random.graph, factors);
    const ReferenceGradients second = differentiate_or_throw(random.graph, factors);
    EXPECT_EQ(first.neurons, second.neurons);
    EXPECT_EQ(first.weights, second.weights);
  }
}

TEST(RandomGradients, AreLaidOutAsTheValues) {
  const RandomGraph random = random_graph(random_options(3));
  const ReferenceValues values = evaluate_reference(random.graph).value();
  const std::vector<double> factors = DirectionalCheck(random.graph, 3).factors();
  const ReferenceGradients gradients = differentiate_or_throw(random.graph, factors);
  EXPECT_EQ(gradients.begin, values.begin);
  for (const WeightTable& table : random.graph.weight_tables) {
    for (WeightId w = table.first; w < table.first + table.count; ++w) {
      EXPECT_EQ(gradients.weight(w).size(), table.learnable ? table.shape.size() : 0);
    }
  }
}

}  // namespace
}  // namespace vecc::test
