#include "tests/support/graph_subset.h"

#include <string>
#include <vector>

#include "tests/support/graph_builder.h"
#include "vecc/function.h"

namespace vecc::test {
namespace {

class SubsetBuilder {
 public:
  SubsetBuilder(const NeuronGraph& graph, std::span<const std::uint32_t> samples)
      : graph_(graph), samples_(samples), id_of_(graph.neuron_count(), 0) {}

  NeuronGraph build() {
    for (const WeightTable& table : graph_.weight_tables) {
      std::vector<std::string> rows;
      for (std::size_t i = 0; i < table.row_names.size(); ++i) {
        rows.emplace_back(table.row_names[i]);
      }
      builder_.weight_table(table.name, table.count, table.shape, table.values.doubles(),
                            table.learnable, rows);
    }
    for (const NeuronGroup& group : graph_.groups) {
      builder_.group(group.head_predicate, group.neuron_class, group.rule_text);
    }
    const std::vector<bool> reached = reached_neurons();
    std::uint32_t next = 0;
    for (NeuronId n = 0; n < reached.size(); ++n) {
      if (reached[n]) id_of_[n] = next++;
    }
    for (NeuronId n = 0; n < reached.size(); ++n) {
      if (reached[n]) add_neuron(n);
    }
    for (const std::uint32_t s : samples_) add_sample(s);
    return builder_.build();
  }

 private:
  std::vector<bool> reached_neurons() const {
    std::vector<bool> reached(graph_.neuron_count());
    std::vector<NeuronId> pending;
    const auto reach = [&](NeuronId n) {
      if (!reached[n]) pending.push_back(n);
      reached[n] = true;
    };
    for (const std::uint32_t s : samples_) reach(graph_.samples[s].output);
    while (!pending.empty()) {
      const NeuronId n = pending.back();
      pending.pop_back();
      for (std::uint64_t e = graph_.input_begin[n]; e < graph_.input_begin[n + 1]; ++e) {
        reach(graph_.inputs[e]);
      }
    }
    return reached;
  }

  void add_neuron(NeuronId n) {
    const NeuronRange& range = graph_.ranges[graph_.range_of(n)];
    const std::uint32_t i = n - range.first;
    switch (range.fact) {
      case FactKind::Unit: builder_.unit_fact(range.group); return;
      case FactKind::Learnable:
        builder_.learnable_fact(range.group, graph_.weights[range.weight_begin + i]);
        return;
      case FactKind::Constant: {
        const NumberRow row = graph_.values.row(range.value_begin + i * range.shape.size());
        std::vector<double> values;
        for (std::size_t k = 0; k < range.shape.size(); ++k) values.push_back(row[k]);
        builder_.fact(range.group, range.shape, std::move(values));
        return;
      }
      case FactKind::NotAFact: break;
    }
    const NeuronFunction& function = graph_.functions[range.function];
    GraphBuilder::Inputs inputs;
    GraphBuilder::Weights weights;
    for (std::uint64_t e = graph_.input_begin[n]; e < graph_.input_begin[n + 1]; ++e) {
      inputs.push_back(id_of_[graph_.inputs[e]]);
      if (range.weight_begin == kNoColumn) continue;
      const std::uint64_t at = range.weight_begin + (e - graph_.input_begin[range.first]);
      weights.push_back(graph_.weights[at]);
    }
    std::vector<std::uint32_t> words(word_count(function.transformation.id));
    for (std::size_t k = 0; k < words.size(); ++k) {
      words[k] = graph_.words[range.word_begin + words.size() * i + k];
    }
    builder_.neuron(
        range.group, function, inputs, weights,
        range.offset_begin == kNoColumn ? kNoWeight : graph_.offsets[range.offset_begin + i], words,
        range.has_shape ? std::optional(range.shape) : std::nullopt);
  }

  void add_sample(std::uint32_t s) {
    const Sample& sample = graph_.samples[s];
    const std::string id(graph_.sample_ids.size() > 0 ? graph_.sample_ids[s] : "");
    std::uint32_t added = 0;
    if (sample.has_target) {
      const auto first =
          graph_.target_values.begin() + static_cast<std::ptrdiff_t>(sample.target_begin);
      added = builder_.sample(
          id_of_[sample.output], sample.target_shape,
          {first, first + static_cast<std::ptrdiff_t>(sample.target_shape.size())}, id);
    } else {
      added = builder_.sample(id_of_[sample.output], id);
    }
    Sample& copy = builder_.edit_sample(added);
    copy.group = sample.group;
    copy.weight = sample.weight;
    copy.split = sample.split;
    copy.role = sample.role;
  }

  const NeuronGraph& graph_;
  std::span<const std::uint32_t> samples_;
  std::vector<NeuronId> id_of_;
  GraphBuilder builder_;
};

}  // namespace

NeuronGraph graph_of_samples(const NeuronGraph& graph, std::span<const std::uint32_t> samples) {
  return SubsetBuilder(graph, samples).build();
}

}  // namespace vecc::test
