// Emits planned layers as Program ops: the generic scheme (concat, gather, linear, segment,
// transform).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "src/vectorize/key_cache.h"
#include "src/vectorize/layer_plan.h"
#include "src/vectorize/layer_planner.h"
#include "src/vectorize/placement.h"
#include "vecc/program.h"

namespace vecc::vectorizer {

/// A new value with the neurons that it holds: row i is neurons[i], or, with member_rows, the
/// neuron's first row is first_rows[i].
struct EmittedLayer {
  ValueId value = 0;
  Shape shape;
  bool member_rows = false;
  std::vector<NeuronId> neurons;
  std::vector<std::uint32_t> first_rows;
};

class LayerEmitter {
 public:
  /// `whole_read[n]`: something reads softmax neuron n as a column, not only member by member.
  LayerEmitter(const NeuronGraph& graph, const Placement& placement, LayerPlanner& planner,
               const std::vector<bool>& whole_read, Program& program);

  /// A Parameter for every learnable weight table, in order; call once, before any layer.
  /// Errors: MissingValues for a fixed table without values, DuplicateName.
  [[nodiscard]] Result<void> add_parameters();
  /// One value; a softmax kept by members and read as columns gives one more for each length.
  [[nodiscard]] std::vector<EmittedLayer> emit(LayerPlan&& plan);
  /// The rows of `neurons`, placed in any layers of one shape, as one value.
  [[nodiscard]] ValueId gather_neurons(std::span<const NeuronId> neurons, const Note& note);
  /// A concat; the same operands give the same value.
  [[nodiscard]] ValueId concat(const std::vector<ValueId>& operands);

 private:
  /// Sources that one gather reads: a concat of their distinct values, with the row at which each
  /// source begins in it.
  struct Sources {
    std::vector<ValueId> values;
    boost::unordered_flat_map<std::uint32_t, std::uint32_t> base;  ///< layer or table -> row
    /// Remembers the last source that was asked for.
    struct Cursor {
      std::uint32_t key = kNone;
      std::uint32_t base = 0;
    };
    [[nodiscard]] std::uint32_t base_of(std::uint32_t key, Cursor& last) const {
      if (key != last.key) last = {key, base.find(key)->second};
      return last.base;
    }
  };
  /// Row numbers of the elements of one use.
  struct UseRows {
    Sources layers;
    Sources tables;
    std::vector<std::uint32_t> input_rows;
    std::vector<std::uint32_t> weight_rows;
  };
  /// The last sources of one use.
  struct SourceCursors {
    Sources::Cursor layers;
    Sources::Cursor tables;
  };
  struct ElementRead {
    WeightId weight;
    NeuronId input;
    std::uint32_t member;  ///< of a softmax that is kept by members
  };
  /// Neurons begin .. end-1 of a plan.
  struct Piece {
    std::size_t begin;
    std::size_t end;
  };
  /// All elements of a layer, in order.
  struct Elements {
    std::vector<UseRows> uses;
    std::vector<std::uint32_t> order;    ///< row of each element in the uses' concat, if many
    std::vector<std::uint32_t> offsets;  ///< neuron i has elements offsets[i] .. offsets[i+1]
  };

  [[nodiscard]] ValueId weight_value(std::uint32_t table);
  [[nodiscard]] Sources layer_sources(std::span<const std::uint32_t> layers);
  [[nodiscard]] Sources table_sources(std::span<const std::uint32_t> tables);
  [[nodiscard]] Elements collect_elements(const LayerPlan& plan);
  [[nodiscard]] std::vector<UseRows> lists_of_uses(const LayerPlan& plan);
  [[nodiscard]] std::vector<std::uint32_t> offsets_of(const LayerPlan& plan) const;
  /// Writes the use of each element of a piece to `use`; how many there are of each.
  [[nodiscard]] std::vector<std::uint32_t> find_uses(const LayerPlan& plan,
                                                     std::span<const NeuronId> neurons,
                                                     std::span<std::uint32_t> use) const;
  /// Writes rows of all elements of some neurons of the plan. Each use begins at its `first_row` in
  /// the concat of all; `next`: the number of its first element here among its own.
  void write_elements(const LayerPlan& plan, Piece neurons,
                      std::span<const std::uint32_t> first_row, std::vector<std::uint32_t> next,
                      Elements& elements) const;
  void write_element(UseRows& use, std::size_t row, const ElementRead& read,
                     SourceCursors& last) const;
  [[nodiscard]] ValueId emit_use(const LayerPlan& plan, std::size_t use, UseRows&& rows);
  /// All elements in order, each of shape `shape`.
  [[nodiscard]] ValueId emit_in_order(const LayerPlan& plan, Elements& elements, Shape shape);
  [[nodiscard]] ValueId emit_fact(const LayerPlan& plan);
  [[nodiscard]] ValueId emit_segment(const LayerPlan& plan);
  [[nodiscard]] ValueId emit_packed(const LayerPlan& plan);
  [[nodiscard]] ValueId emit_positions(const LayerPlan& plan);
  [[nodiscard]] std::vector<EmittedLayer> emit_members(LayerPlan&& plan);
  void pack_whole_reads(const LayerPlan& plan, const EmittedLayer& members,
                        std::span<const std::uint32_t> offsets, std::vector<EmittedLayer>& result);
  [[nodiscard]] ValueId emit_transformation(const LayerPlan& plan, ValueId combined);

  const NeuronGraph& graph_;
  const Placement& placement_;
  LayerPlanner& planner_;
  const std::vector<bool>& whole_read_;
  Program& program_;
  RangeCursor cursor_;
  std::vector<ParameterIndex> parameter_of_table_;
  std::vector<ValueId> table_value_;  ///< by weight table; kNone: not emitted yet
  std::map<std::vector<ValueId>, ValueId> concats_;
};

}  // namespace vecc::vectorizer
