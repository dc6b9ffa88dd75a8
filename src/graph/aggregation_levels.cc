#include "src/graph/aggregation_levels.h"

#include <algorithm>

namespace vecc::graph {
namespace {

// Neurons from readers to inputs: one comes when all of its readers, of those that an output
// depends on, came.
class Levels {
 public:
  explicit Levels(const NeuronGraph& graph)
      : graph_(graph), readers_(graph.neuron_count(), kUnread), levels_(graph.neuron_count(), 0) {}

  std::vector<std::uint32_t> find() {
    count_readers();
    for (const Sample& sample : graph_.samples) {
      if (readers_[sample.output] == 0) open(sample.output);
    }
    while (!open_.empty()) {
      const NeuronId neuron = open_.back();
      open_.pop_back();
      visit(neuron);
    }
    return std::move(levels_);
  }

 private:
  static constexpr std::uint32_t kUnread = 0xFFFFFFFF;

  template <class Visit>
  void for_each_input(NeuronId neuron, Visit&& visit) const {
    for (std::uint64_t e = graph_.input_begin[neuron]; e < graph_.input_begin[neuron + 1ull]; ++e) {
      visit(graph_.inputs[e]);
    }
  }

  // Of neurons that an output depends on.
  void count_readers() {
    const auto meet = [&](NeuronId neuron) {
      if (readers_[neuron] != kUnread) return;
      readers_[neuron] = 0;
      open_.push_back(neuron);
    };
    for (const Sample& sample : graph_.samples) meet(sample.output);
    while (!open_.empty()) {
      const NeuronId neuron = open_.back();
      open_.pop_back();
      for_each_input(neuron, [&](NeuronId input) {
        meet(input);
        ++readers_[input];
      });
    }
  }

  // Once: its count then is that of no neuron that is left.
  void open(NeuronId neuron) {
    readers_[neuron] = kUnread;
    open_.push_back(neuron);
  }

  void visit(NeuronId neuron) {
    const std::uint32_t range = graph_.range_of(neuron);
    std::uint32_t& level = levels_[neuron];  // so far: the most that its readers have
    const std::uint32_t passed = level + (is_summed_aggregation(graph_, range) ? 1 : 0);
    if (is_aggregation(graph_, range)) ++level;
    for_each_input(neuron, [&](NeuronId input) {
      levels_[input] = std::max(levels_[input], passed);
      if (--readers_[input] == 0) open(input);
    });
  }

  const NeuronGraph& graph_;
  std::vector<std::uint32_t> readers_;
  std::vector<std::uint32_t> levels_;
  std::vector<NeuronId> open_;
};

}  // namespace

bool is_aggregation(const NeuronGraph& graph, std::uint32_t range) {
  const NeuronClass of = graph.groups[graph.ranges[range].group].neuron_class;
  return graph.ranges[range].fact == FactKind::NotAFact &&
         (of == NeuronClass::Aggregation || of == NeuronClass::SplittableAggregation);
}

bool is_summed_aggregation(const NeuronGraph& graph, std::uint32_t range) {
  if (!is_aggregation(graph, range)) return false;
  const Combination combination = graph.functions[graph.ranges[range].function].combination;
  return combination == Combination::Sum || combination == Combination::Avg;
}

std::vector<std::uint32_t> aggregation_levels(const NeuronGraph& graph) {
  return Levels(graph).find();
}

}  // namespace vecc::graph
