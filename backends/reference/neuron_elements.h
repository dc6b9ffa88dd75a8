// The list that one neuron combines, from the values of the neurons it reads.
#pragma once

#include <span>
#include <vector>

#include "backends/reference/neuron_view.h"
#include "src/function/evaluate.h"
#include "vecc/backend.h"

namespace vecc::reference {

/// Holds the elements of one neuron at a time; kept from neuron to neuron to save allocations.
class NeuronElements {
 public:
  /// `values` has all shapes; those of inputs stand there before a neuron is collected.
  NeuronElements(const NeuronGraph& graph, const ReferenceValues& values);

  /// [offset] ++ [W_i * x_i], until the next neuron.
  std::span<const Element> collect(const NeuronView& view);
  /// C of what was collected (what `combining_of` says), until the next neuron.
  Element combine(const NeuronView& view);

  /// Its table has values.
  [[nodiscard]] Element weight(WeightId weight) const;
  [[nodiscard]] Element neuron(NeuronId neuron) const {
    return {values_.shapes[neuron], values_.value(neuron)};
  }

 private:
  Element fill(Shape shape, double value);

  const NeuronGraph& graph_;
  const ReferenceValues& values_;
  std::vector<std::vector<double>> weights_;  // of the tables
  std::vector<Element> elements_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<double>> products_;
  std::vector<double> combined_;
};

}  // namespace vecc::reference
