// What a template is: all of a graph but its neurons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/bind/recipes.h"
#include "vecc/neuron_graph.h"
#include "vecc/weights.h"

namespace vecc::binding {

/// A rank is a number of stages, each of which takes memory; neurons deeper down share the last one
/// and are run by their inputs' stages.
inline constexpr std::uint32_t kMostRanks = 1 << 16;

/// Neurons of one group that compute the same, or facts of one kind and shape.
struct GroupEntry {
  FactKind fact = FactKind::NotAFact;
  Shape shape;                 ///< of a constant fact
  std::uint32_t function = 0;  ///< NotAFact: of TemplateData::functions
  /// Longest path to it from a fact, in layers of the graph: neurons of one rank run together.
  std::uint32_t rank = 0;
};

/// All groups of one class, head and rule.
struct TemplateGroup {
  NeuronClass neuron_class = NeuronClass::Fact;
  std::string head;
  std::string rule;
  std::vector<GroupEntry> entries;
};

struct TemplateData {
  DType dtype = DType::F32;
  std::string loss;  ///< that it was trained by, as --loss has it; empty: none is known
  std::vector<NeuronFunction> functions;
  std::vector<TemplateGroup> groups;
  std::vector<Signature> signatures;  ///< of the graph's neurons
  /// Weight tables with values, and vocabularies; no neurons.
  NeuronGraph weights;
};

/// Errors: those of vectorize(); MissingValues.
[[nodiscard]] Result<TemplateData> make_template_data(const NeuronGraph& graph, DType dtype,
                                                      std::string loss);

/// As a weight file with metadata (docs/bind.md). Errors: those of weights_of().
[[nodiscard]] Result<WeightFile> file_of(const TemplateData& data);
/// Errors: BadWeightFile (no template, or a damaged one), UnknownSchema, WrongChecksum, and those
/// of a function or neuron that cannot be.
[[nodiscard]] Result<TemplateData> template_of(const WeightFile& file, const std::string& place);

}  // namespace vecc::binding
