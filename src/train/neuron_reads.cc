#include "src/train/neuron_reads.h"

#include <algorithm>

namespace vecc::training {

NeuronReads::NeuronReads(const NeuronGraph& graph, const SampledMembers* members)
    : graph_(graph), seen_neuron_(graph.neuron_count(), 0), seen_weight_(graph.weight_count(), 0) {
  if (members != nullptr) draw_.emplace(graph, *members);
}

void NeuronReads::find(std::span<const std::uint32_t> samples, std::uint64_t run) {
  if (draw_) draw_->begin(run);
  ++search_;
  touched_.clear();
  for (const std::uint32_t sample : samples) {
    open_.push_back(graph_.samples[sample].output);
    while (!open_.empty()) {
      const NeuronId neuron = open_.back();
      open_.pop_back();
      visit(neuron);
    }
  }
}

TableRows NeuronReads::rows() {
  std::ranges::sort(touched_);
  TableRows rows;
  for (const WeightId weight : touched_) {
    const WeightTable& table = graph_.weight_tables[graph_.table_of_weight[weight]];
    if (table.learnable) rows[table.name].push_back(weight - table.first);
  }
  return rows;
}

void NeuronReads::touch(WeightId weight) {
  if (weight == kNoWeight || seen_weight_[weight] == search_) return;
  seen_weight_[weight] = search_;
  touched_.push_back(weight);
}

void NeuronReads::visit(NeuronId neuron) {
  if (seen_neuron_[neuron] == search_) return;
  seen_neuron_[neuron] = search_;
  const std::uint32_t number = graph_.range_of(neuron);
  const NeuronRange& range = graph_.ranges[number];
  const std::uint32_t place = neuron - range.first;
  if (range.fact == FactKind::Learnable) touch(graph_.weights[range.weight_begin + place]);
  if (range.fact != FactKind::NotAFact) return;
  if (range.offset_begin != kNoColumn) touch(graph_.offsets[range.offset_begin + place]);
  if (draw_ && draw_->follows(neuron)) {
    draw_->for_each_followed(neuron, [&](std::uint64_t e) { open_.push_back(graph_.inputs[e]); });
    return;
  }
  if (draw_ && draw_->is_sampled(number)) {
    for (const std::uint32_t member : draw_->draw(number, neuron)) {
      open_.push_back(graph_.inputs[graph_.input_begin[neuron] + member]);
    }
    return;
  }
  const std::uint64_t first_edge = graph_.input_begin[range.first];
  for (std::uint64_t e = graph_.input_begin[neuron]; e < graph_.input_begin[neuron + 1ull]; ++e) {
    if (range.weight_begin != kNoColumn) touch(graph_.weights[range.weight_begin + e - first_edge]);
    open_.push_back(graph_.inputs[e]);
  }
}

}  // namespace vecc::training
