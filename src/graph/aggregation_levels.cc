#include "src/graph/aggregation_levels.h"

#include <algorithm>

#include "src/graph/member_counts.h"

namespace vecc::graph {
namespace {

bool is_softmax(Combination combination) {
  return combination == Combination::Softmax || combination == Combination::Sparsemax;
}

class AttentionFinder {
 public:
  explicit AttentionFinder(const NeuronGraph& graph)
      : graph_(graph),
        found_{std::vector<bool>(graph.neuron_count()), std::vector<bool>(graph.neuron_count())} {}

  Attention find() {
    const auto has_softmax = [&] {
      for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
        if (is_softmax_aggregation(graph_, r)) return true;
      }
      return false;
    };
    if (!has_softmax()) return std::move(found_);
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      const NeuronRange& range = graph_.ranges[r];
      if (!is_aggregation(graph_, r) || is_softmax_aggregation(graph_, r)) continue;
      for (NeuronId n = range.first; n < range.first + range.count; ++n) consider(n);
    }
    return std::move(found_);
  }

 private:
  void consider(NeuronId reader) {
    read_.clear();
    const std::uint64_t begin = graph_.input_begin[reader];
    const std::uint64_t end = graph_.input_begin[reader + 1ull];
    for (std::uint64_t e = begin; e < end; ++e) {
      if (!find_entries(graph_.inputs[e])) return;
    }
    if (begin == end) return;
    found_.readers[reader] = true;
    for (const NeuronId softmax : read_) found_.softmaxes[softmax] = true;
  }

  // Whether a neuron is 0 where an entry of a softmax is.
  bool find_entries(NeuronId member) {
    const NeuronRange& range = graph_.ranges[graph_.range_of(member)];
    if (range.fact != FactKind::NotAFact || range.offset_begin != kNoColumn) return false;
    const NeuronFunction& function = graph_.functions[range.function];
    const bool is_product = function.combination == Combination::Product ||
                            function.combination == Combination::ElProduct;
    if (!is_product || function.transformation.id != Transformation::Identity) return false;
    const std::size_t before = read_.size();
    for (std::uint64_t e = graph_.input_begin[member]; e < graph_.input_begin[member + 1ull]; ++e) {
      const auto entry = find_softmax_entry(graph_, graph_.inputs[e]);
      if (entry) read_.push_back(entry->softmax);
    }
    return read_.size() > before;
  }

  const NeuronGraph& graph_;
  Attention found_;
  std::vector<NeuronId> read_;
};

// Neurons from readers to inputs: one comes when all of its readers, of those that an output
// depends on, came.
class Levels {
 public:
  Levels(const NeuronGraph& graph, const Attention& attention)
      : graph_(graph),
        attention_(attention),
        readers_(graph.neuron_count(), kUnread),
        levels_(graph.neuron_count(), 0) {}

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
    std::uint32_t passed = level;
    if (is_aggregation(graph_, range) && !attention_.softmaxes[neuron]) {
      ++level;
      if (counts_of(graph_.functions[graph_.ranges[range].function].combination)) passed = level;
    }
    for_each_input(neuron, [&](NeuronId input) {
      levels_[input] = std::max(levels_[input], passed);
      if (--readers_[input] == 0) open(input);
    });
  }

  const NeuronGraph& graph_;
  const Attention& attention_;
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

bool is_softmax_aggregation(const NeuronGraph& graph, std::uint32_t range) {
  if (!is_aggregation(graph, range)) return false;
  const NeuronFunction& function = graph.functions[graph.ranges[range].function];
  return is_softmax(function.combination) && function.transformation.id == Transformation::Identity;
}

std::optional<SoftmaxEntry> find_softmax_entry(const NeuronGraph& graph, NeuronId entry) {
  const NeuronRange& range = graph.ranges[graph.range_of(entry)];
  if (range.fact != FactKind::NotAFact || range.weight_begin != kNoColumn ||
      range.offset_begin != kNoColumn) {
    return {};
  }
  const NeuronFunction& function = graph.functions[range.function];
  const std::uint64_t first = graph.input_begin[entry];
  const bool is_one = graph.input_begin[entry + 1ull] == first + 1;
  const bool takes_entry = function.transformation.id == Transformation::AtIndex &&
                           function.combination != Combination::FunctionGraph;
  if (!takes_entry || !is_one) return {};
  const NeuronId softmax = graph.inputs[first];
  if (!is_softmax_aggregation(graph, graph.range_of(softmax))) return {};
  return SoftmaxEntry{softmax, graph.words[range.word_begin + (entry - range.first)]};
}

Attention find_attention(const NeuronGraph& graph) {
  return AttentionFinder(graph).find();
}

std::vector<std::uint32_t> aggregation_levels(const NeuronGraph& graph,
                                              const Attention& attention) {
  return Levels(graph, attention).find();
}

}  // namespace vecc::graph
