#include "src/train/neuron_reads.h"

#include "src/support/prefetch.h"

namespace vecc::training {

NeuronReads::NeuronReads(const NeuronGraph& graph, const SampledMembers* members)
    : graph_(graph), met_(graph.neuron_count()), touched_(graph.weight_count()) {
  if (members != nullptr) draw_.emplace(graph, *members);
}

void NeuronReads::find(std::span<const std::uint32_t> samples, std::uint64_t run) {
  if (draw_) draw_->begin(run);
  met_.clear();
  touched_.clear();
  found_.clear();
  for (const std::uint32_t sample : samples) meet(graph_.samples[sample].output);
  for (std::size_t i = 0; i < found_.size(); ++i) {
    fetch_ahead(i);
    visit(found_[i]);
  }
}

// Neurons lie anywhere in a large graph: what a visit reads is on its way some visits before.
void NeuronReads::fetch_ahead(std::size_t at) const {
  constexpr std::size_t kNear = 8;
  constexpr std::size_t kFar = 16;
  if (at + kFar < found_.size()) prefetch_memory(&graph_.input_begin[found_[at + kFar]]);
  if (at + kNear >= found_.size()) return;
  const std::uint64_t input = graph_.input_begin[found_[at + kNear]];
  if (input < graph_.inputs.size()) prefetch_memory(&graph_.inputs[input]);
}

void NeuronReads::meet(NeuronId neuron) {
  if (met_.contains(neuron)) return;
  met_.insert(neuron);
  found_.push_back(neuron);
}

TableRows NeuronReads::rows() {
  TableRows rows;
  touched_.for_each(0, graph_.weight_count(), [&](std::uint64_t weight) {
    const WeightTable& table = graph_.weight_tables[graph_.table_of_weight[weight]];
    if (!table.learnable) return;
    rows[table.name].push_back(static_cast<std::uint32_t>(weight) - table.first);
  });
  return rows;
}

void NeuronReads::touch(WeightId weight) {
  if (weight != kNoWeight) touched_.insert(weight);
}

void NeuronReads::visit(NeuronId neuron) {
  const std::uint32_t number = graph_.range_of(neuron);
  const NeuronRange& range = graph_.ranges[number];
  const std::uint32_t place = neuron - range.first;
  if (range.fact == FactKind::Learnable) touch(graph_.weights[range.weight_begin + place]);
  if (range.fact != FactKind::NotAFact) return;
  if (range.offset_begin != kNoColumn) touch(graph_.offsets[range.offset_begin + place]);
  if (draw_ && draw_->follows(neuron)) {
    draw_->for_each_followed(neuron, [&](std::uint64_t e) { meet(graph_.inputs[e]); });
    return;
  }
  if (draw_ && draw_->is_sampled(number)) {
    for (const std::uint32_t member : draw_->draw(number, neuron)) {
      meet(graph_.inputs[graph_.input_begin[neuron] + member]);
    }
    return;
  }
  const std::uint64_t first_edge = graph_.input_begin[range.first];
  for (std::uint64_t e = graph_.input_begin[neuron]; e < graph_.input_begin[neuron + 1ull]; ++e) {
    if (range.weight_begin != kNoColumn) touch(graph_.weights[range.weight_begin + e - first_edge]);
    meet(graph_.inputs[e]);
  }
}

}  // namespace vecc::training
