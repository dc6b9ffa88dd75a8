// Which weights some samples depend on: what NeuraLogic's lazy Adam updates.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/train/member_draw.h"
#include "vecc/neuron_graph.h"

namespace vecc::training {

/// Finds them again and again, each time in time linear in the neurons and edges that the samples
/// reach.
class TouchedRows {
 public:
  /// The graph must outlive this.
  explicit TouchedRows(const NeuronGraph& graph);

  /// By name of a learnable weight table, its rows that the samples' outputs depend on, rising;
  /// tables without any are left out.
  [[nodiscard]] std::map<std::string, std::vector<std::uint32_t>> of(
      std::span<const std::uint32_t> samples) {
    find(samples, nullptr);
    return rows();
  }
  /// The same in two steps; of aggregations that `draw` samples, through the members that it then
  /// draws. Null: through all.
  void find(std::span<const std::uint32_t> samples, MemberDraw* draw);
  [[nodiscard]] std::map<std::string, std::vector<std::uint32_t>> rows();

 private:
  void visit(NeuronId neuron, MemberDraw* draw);
  void touch(WeightId weight);

  const NeuronGraph& graph_;
  std::uint32_t search_ = 0;
  std::vector<std::uint32_t> seen_neuron_;  // by neuron: the last search that met it
  std::vector<std::uint32_t> seen_weight_;  // by weight
  std::vector<NeuronId> open_;
  std::vector<WeightId> touched_;
};

}  // namespace vecc::training
