// The members of each aggregation that a step reads (vecc/fanout.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/batch.h"
#include "vecc/fanout.h"

namespace vecc::training {

/// Which k of a neuron's members, rising places: all, if it has no more; else each set of k is
/// equally likely (to 2^-32), by Floyd's algorithm over Philox, and depends on seed, step and
/// neuron alone. `places` is replaced.
void draw_members(std::uint64_t seed, std::uint64_t step, NeuronId neuron, std::uint32_t members,
                  std::uint32_t k, std::vector<std::uint32_t>& places);

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
  /// Places among its inputs of the members of a neuron of a sampled range, rising, until the next
  /// call. Once a step for each neuron.
  [[nodiscard]] std::span<const std::uint32_t> draw(std::uint32_t range, NeuronId neuron);
  /// Replaces `to`: the weights of all members that were drawn since begin().
  void write_weights(Batch::Weights& to);

 private:
  static constexpr std::uint32_t kNotSampled = 0xFFFFFFFF;
  struct Drawn {
    std::uint32_t first = 0;  // row of the neuron's first member
    std::uint32_t begin = 0;  // in places_
    std::uint32_t count = 0;
    double weight = 0;  // of each
  };

  const NeuronGraph& graph_;
  const SampledMembers& members_;
  std::vector<std::uint32_t> number_of_range_;  // in members_.ranges
  std::uint64_t step_ = 0;
  std::vector<std::uint32_t> drawn_places_;  // of the neuron at hand
  std::vector<std::uint32_t> places_;
  std::vector<Drawn> drawn_;
};

}  // namespace vecc::training
