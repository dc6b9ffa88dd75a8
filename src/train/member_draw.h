// The members of each neuron that a step reads (vecc/fanout.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/train/draw_members.h"
#include "vecc/batch.h"
#include "vecc/fanout.h"

namespace vecc::training {

/// The draws of one step after another.
class MemberDraw {
 public:
  /// Both must outlive this; `graph` is SampledGraph's.
  MemberDraw(const NeuronGraph& graph, const SampledMembers& members);

  /// Forgets the draws of the step before.
  void begin(std::uint64_t step);
  [[nodiscard]] bool is_sampled(std::uint32_t range) const {
    return number_of_range_[range] != kNotSampled;
  }
  /// Whether the neuron is a sum whose members are those that softmaxes draw.
  [[nodiscard]] bool follows(NeuronId neuron) const {
    return neuron < members_.follows.size() && members_.follows[neuron];
  }
  /// Calls visit(edge) for those of such a neuron's edges whose members are drawn, or always there.
  template <class Visit>
  void for_each_followed(NeuronId neuron, Visit&& visit) {
    const NeuronRange& range = graph_.ranges[graph_.range_of(neuron)];
    const std::uint64_t first = graph_.input_begin[range.first];
    for (std::uint64_t e = graph_.input_begin[neuron]; e < graph_.input_begin[neuron + 1ull]; ++e) {
      const WeightId weight = graph_.weights[range.weight_begin + (e - first)];
      if (weight == kNoWeight || is_drawn(weight - members_.first)) visit(e);
    }
  }
  /// Places among its inputs of the members of a neuron of a sampled range, rising, until the next
  /// call. Once a step for each neuron.
  [[nodiscard]] std::span<const std::uint32_t> draw(std::uint32_t range, NeuronId neuron);
  /// Replaces `to`: the weights of all members that were drawn since begin().
  void write_weights(Batch::Weights& to) { drawn_.write_weights(to); }
  /// The weights of all members in a step of the whole graph, of those that were drawn for it. What
  /// selects among members that the step does not read has all of them, for it has to have one.
  void fill(const Batch::Weights& drawn, std::span<double> table) const;

 private:
  static constexpr std::uint32_t kNotSampled = 0xFFFFFFFF;

  // Whether the member of a row of the table is drawn.
  [[nodiscard]] bool is_drawn(std::uint32_t row);
  // The neuron's draw, into drawn_places_.
  void find_places(const SampledMembers::Range& range, NeuronId neuron);
  // Of the member that the edge leads to.
  [[nodiscard]] std::uint32_t row_of(const SampledMembers::Range& range, std::uint64_t edge) const;

  const NeuronGraph& graph_;
  const SampledMembers& members_;
  std::vector<std::uint32_t> number_of_range_;  // in members_.ranges
  std::uint64_t step_ = 0;
  std::vector<std::uint32_t> drawn_places_;  // of the neuron at hand
  NeuronId placed_ = kNotSampled;            // that is
  DrawnMembers drawn_;
};

}  // namespace vecc::training
