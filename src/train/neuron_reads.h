// Which weights some samples depend on, by neurons: what NeuraLogic's lazy Adam updates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/batch/row_set.h"
#include "src/train/member_draw.h"
#include "src/train/step_reads.h"
#include "vecc/neuron_graph.h"

namespace vecc::training {

/// Takes a bit for each neuron and each weight.
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
  // Lists a neuron that is to be visited, once.
  void meet(NeuronId neuron);
  void fetch_ahead(std::size_t at) const;
  void visit(NeuronId neuron);
  void touch(WeightId weight);

  const NeuronGraph& graph_;
  std::optional<MemberDraw> draw_;  // none: all members are read
  RowSet met_;                      // neurons
  std::vector<NeuronId> found_;     // the same, in the order in which they are visited
  RowSet touched_;                  // weights
};

}  // namespace vecc::training
