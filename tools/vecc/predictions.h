// What outputs say of samples: a class and how probable each is, or numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vecc/backend.h"
#include "vecc/loss.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

struct Predictions {
  std::vector<std::string> classes;    ///< by number; empty: outputs are numbers
  std::vector<std::uint32_t> samples;  ///< of the graph
  /// By sample: the most probable class, the first on ties; none if an output is NaN. Empty without
  /// classes.
  std::vector<std::optional<std::uint32_t>> predicted;
  /// By sample: the probability of each class, or the output's elements.
  std::vector<std::vector<double>> values;
};

/// The name of a class by its number: what the graph calls it, else the number.
[[nodiscard]] std::string class_name(const NeuronGraph& graph, std::uint32_t number);

/// outputs[i] is that of the graph's sample samples[i]. Outputs that are sigmoids or softmax are
/// probabilities (unless the targets are numbers), raw ones are the logits of such where the loss
/// takes logits (`loss`, or that which choose_loss() finds by targets); all else is numbers. A
/// scalar is the probability of class 1 of two. Independent sigmoids of a vector are each a class's
/// own probability: they need not sum to 1.
[[nodiscard]] Predictions make_predictions(const NeuronGraph& graph, const Program& program,
                                           std::optional<Loss> loss,
                                           std::vector<std::uint32_t> samples,
                                           std::span<const Executable::Output> outputs);

enum class TableFormat : std::uint8_t { Tsv, Csv, JsonObject };
/// A line a sample after a header: `sample`, `class`, `p(NAME)` of each class; or `sample`, `value`
/// (`value[0]`, `value[1]` of vectors). CSV as RFC 4180 states it. JSON: `{"classes": [...],
/// "predictions": [{"sample": "s0", "class": "1", "probabilities": [0.2, 0.8]}, ...]}`, or "value".
/// `single`: the program computed in single precision.
[[nodiscard]] std::string text_of(const Predictions& predictions, const NeuronGraph& graph,
                                  TableFormat format, bool single);

}  // namespace vecc::tools
