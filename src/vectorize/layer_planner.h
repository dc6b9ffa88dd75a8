// Classifies neurons into planned layers: by function, by form and by result shape.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/vectorize/key_cache.h"
#include "src/vectorize/layer_graph.h"
#include "src/vectorize/layer_plan.h"
#include "src/vectorize/placement.h"
#include "vecc/error.h"

namespace vecc::vectorizer {

class LayerPlanner {
 public:
  LayerPlanner(const NeuronGraph& graph, const Placement& placement)
      : graph_(graph), placement_(placement), cursor_(graph) {}

  /// The recursive component whose layers count as `inside`, or kNone.
  void enter_component(std::uint32_t component);
  /// Plans neurons of one vertex; all their inputs are placed. Appends to errors().
  [[nodiscard]] std::vector<LayerPlan> plan(const LayerVertex& vertex,
                                            std::span<const NeuronId> neurons);

  [[nodiscard]] const ElementClass& element_class(std::uint32_t id) const { return classes_[id]; }
  /// The class of an element that plan() has seen since enter_component. `cache`: of the caller,
  /// for elements since then. Several threads may ask at once.
  [[nodiscard]] std::uint32_t known_class_of(WeightId weight, NeuronId input,
                                             KeyCache& cache) const;
  /// One for all neurons of a group that have the same one: the first is named, the rest counted.
  [[nodiscard]] Errors errors() const;

 private:
  void start(const LayerVertex& vertex);
  void classify_all(const LayerVertex& vertex, std::span<const NeuronId> neurons);
  /// The same, of many neurons by all threads: false where that is not done, or there are errors.
  [[nodiscard]] bool classify_in_pieces(const LayerVertex& vertex,
                                        std::span<const NeuronId> neurons);
  /// Takes what another planner has planned of the neurons that follow.
  void take_plans(LayerPlanner&& other);
  void classify(const LayerVertex& vertex, NeuronId n);
  [[nodiscard]] const Note& note_of(GroupIndex group);
  /// Fills elements_; false (and an error) if a weight does not fit its input.
  [[nodiscard]] bool collect_elements(const NeuronRange& range, NeuronId n);
  void choose_form(const LayerVertex& vertex, LayerPlan& draft) const;
  [[nodiscard]] bool combine(const NeuronRange& range, NeuronId n, LayerPlan& draft);
  [[nodiscard]] bool combine_by_plus(NeuronId n, LayerPlan& draft);
  [[nodiscard]] bool transform(const NeuronRange& range, NeuronId n, LayerPlan& draft);
  [[nodiscard]] bool check_member(const NeuronRange& range, NeuronId n);
  [[nodiscard]] bool check_declared_shape(const NeuronRange& range, NeuronId n,
                                          const LayerPlan& draft);
  [[nodiscard]] LayerPlan& find_plan(const LayerPlan& draft);
  /// Whether the neuron belongs to the last one's plan, as elements_ tell.
  [[nodiscard]] bool is_like_last(const NeuronRange& range) const;
  void remember_last(const NeuronRange& range, const LayerPlan& plan);
  void add_to(LayerPlan& plan, NeuronId n);
  bool fail(ErrorCode code, NeuronId n, const std::string& message);
  [[nodiscard]] std::uint64_t pair_of(WeightId weight, NeuronId input) const;
  [[nodiscard]] std::uint32_t class_of(WeightId weight, NeuronId input);
  [[nodiscard]] ElementClass make_class(WeightId weight, NeuronId input) const;
  /// Its number; that of none if there is no such class yet.
  [[nodiscard]] std::uint32_t find_class(const ElementClass& element) const;
  [[nodiscard]] std::uint32_t number_of(const ElementClass& element);

  const NeuronGraph& graph_;
  const Placement& placement_;
  RangeCursor cursor_;
  std::uint32_t component_ = kNone;
  std::vector<ElementClass> classes_;
  /// (weight table, layer) -> class, for the current component.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> class_of_pair_;
  KeyCache class_cache_;

  std::vector<LayerPlan> plans_;
  struct Element {
    WeightId weight;
    NeuronId input;
    std::uint32_t element_class;
  };
  std::vector<Element> elements_;  ///< of the neuron being classified
  std::size_t last_plan_ = 0;
  /// The last neuron whose plan follows from its range and the classes of its elements alone.
  struct Last {
    const NeuronRange* range = nullptr;
    std::vector<std::uint32_t> classes;
    bool any_count = false;  ///< as many elements of one class as there may be, but two at least
  };
  Last last_;
  /// Uses of the plan that add_to fills: class -> index into its uses.
  std::vector<std::vector<std::uint32_t>> use_of_class_;
  std::vector<Note> notes_;  ///< by group, once made
  GroupIndex group_ = 0;     ///< of the neurons being planned
  struct GroupError {
    ErrorCode code;
    GroupIndex group;
    std::string place;
    std::string message;
    std::uint64_t neurons = 1;
  };
  std::vector<GroupError> errors_;
};

}  // namespace vecc::vectorizer
