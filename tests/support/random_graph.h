// Random well-formed neuron graphs on which every correct backend agrees within the tolerances.
//
// Well conditioned by construction: while a graph grows, each neuron's value is computed along with
// two perturbed copies (tracked_value.h), and a neuron is dropped that is close to a pole or a tie,
// that grows large, or that would amplify rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::test {

struct RandomGraphOptions {
  std::uint64_t seed = 0;
  std::uint32_t facts = 12;   ///< constant, learnable and unit facts
  std::uint32_t groups = 6;   ///< groups of neurons besides recursive ones
  std::uint32_t neurons = 6;  ///< at most, a group
  std::uint32_t depth = 4;    ///< steps of each recursive block; 0: no recursion
  std::uint32_t side = 3;     ///< largest side of a fact
  /// Whole numbers and functions that keep them so: full of ties, and equal bit by bit everywhere.
  bool exact = false;
};

struct RandomGraph {
  NeuronGraph graph;
  /// By neuron: its shape and value, from the formulas of naive_functions.h.
  std::vector<Shape> shapes;
  std::vector<std::vector<double>> values;
};

/// Sizes drawn from the seed: most graphs small, depth from 1 to 50.
[[nodiscard]] RandomGraphOptions random_options(std::uint64_t seed);

/// All combinations and transformations of neurons; scalar, column, row and matrix values;
/// weighted, plain and mixed literals; shared weights and inputs; offsets; fixed and learnable
/// weights; fan-in from 0; attention read through AtIndex; recursion inside and between groups;
/// groups of one neuron and groups that mix functions and shapes; ids that point forward. Every
/// graph has a sample.
[[nodiscard]] RandomGraph random_graph(const RandomGraphOptions& options);

/// Its graph, every neuron a sample: rows that several samples share, of all shapes and levels.
/// Four of five have a target.
[[nodiscard]] NeuronGraph with_all_samples(RandomGraph random);

}  // namespace vecc::test
