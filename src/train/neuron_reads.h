// Which weights some samples depend on, by neurons: what NeuraLogic's lazy Adam updates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/train/member_draw.h"
#include "src/train/step_reads.h"
#include "vecc/neuron_graph.h"

namespace vecc::training {

class NeuronReads final : public StepReads {
 public:
  /// As StepReads::make().
  explicit NeuronReads(const NeuronGraph& graph, const SampledMembers* members = nullptr);

  void find(std::span<const std::uint32_t> samples, std::uint64_t run) override;
  [[nodiscard]] TableRows rows() override;
  void write_weights(Batch::Weights& to) override { draw_->write_weights(to); }
  void fill(const Batch::Weights& drawn, std::span<double> table) const override {
    draw_->fill(drawn, table);
  }

 private:
  void visit(NeuronId neuron);
  void touch(WeightId weight);

  const NeuronGraph& graph_;
  std::optional<MemberDraw> draw_;  // none: all members are read
  std::uint32_t search_ = 0;
  std::vector<std::uint32_t> seen_neuron_;  // by neuron: the last search that met it
  std::vector<std::uint32_t> seen_weight_;  // by weight
  std::vector<NeuronId> open_;
  std::vector<WeightId> touched_;
};

}  // namespace vecc::training
