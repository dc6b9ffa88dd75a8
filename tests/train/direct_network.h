// Graph networks as Programs over index arrays, as vecc.nn makes them.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::test {

/// Layers h(X) = tanh(a(X) + V h(X)) over a random graph, all of whose nodes are samples; a(X) is
/// an aggregation of W h(Y) over edges Y -> X. The last layer is without tanh: what is infinite in
/// it stays so.
class DirectNetwork {
 public:
  enum class By : std::uint8_t {
    Mean,
    Sum,
    Max,
    ElMax,
    ElMin,
    Deviation,          ///< mean of squares less the square of the mean
    Attention,          ///< a sum times the softmax of scores
    UnsortedAttention,  ///< the same of edges in another order than that of their targets
  };
  /// The edges into a node of a layer.
  struct Members {
    std::vector<std::uint32_t> sources;
    double factor = 1;  ///< of each in a sum
  };

  /// Node n has n % 8 neighbours; those of the first 7 have less than 7.
  DirectNetwork(By by, std::uint32_t layers, std::uint32_t nodes = 30);

  [[nodiscard]] std::uint32_t layers() const { return static_cast<std::uint32_t>(lists_.size()); }
  /// By node.
  [[nodiscard]] std::vector<Members>& lists(std::uint32_t layer) { return lists_[layer]; }
  /// Segments without members are not there, where selections could not have any.
  [[nodiscard]] bool leaves_out_empty() const {
    return by_ == By::Max || by_ == By::ElMax || by_ == By::ElMin;
  }
  /// Whether factors are multiplied with.
  void set_scales(bool scales) { scales_ = scales; }
  /// Features of nodes are facts, no table.
  void fix_features() { learns_features_ = false; }
  /// Layers are tanh(W a(X) + V h(X)), with a(X) of h(Y).
  void set_weighs_after(bool weighs_after) { weighs_after_ = weighs_after; }
  [[nodiscard]] Program program() const;
  /// Its samples, without neurons.
  [[nodiscard]] NeuronGraph graph() const;

 private:
  struct Edges {
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> targets;
    std::vector<std::uint32_t> offsets{0};
    std::vector<double> factors;
  };
  [[nodiscard]] Edges edges_of(std::uint32_t layer) const;
  [[nodiscard]] ValueId aggregate(Program& p, std::uint32_t layer, ValueId z) const;
  [[nodiscard]] ValueId attend(Program& p, std::uint32_t layer, ValueId z, Edges edges) const;
  [[nodiscard]] ValueId select(Program& p, ValueId messages, const Edges& edges) const;
  ValueId weight(Program& p, std::uint32_t layer, const char* name, Shape shape) const;

  By by_;
  std::uint32_t count_;
  bool scales_ = false;
  bool learns_features_ = true;
  bool weighs_after_ = false;
  std::vector<std::vector<Members>> lists_;  // by layer, by node
};

}  // namespace vecc::test
