// The query of each graph of a set: pooled node values, the output, the sample.
#include <algorithm>
#include <optional>

#include "tools/import/models/graph_sets/graph_set_template.h"

namespace vecc::tools {
namespace {

ModelOutput output_of(const GraphSetOptions& options, std::uint32_t dim) {
  // The command line refuses it.
  VECC_CHECK(dim > 1 || options.output != ModelOutput::Softmax, "softmax over one output");
  if (options.output != ModelOutput::Auto) return options.output;
  if (options.regression) return ModelOutput::Identity;
  return dim > 1 ? ModelOutput::Softmax : ModelOutput::Sigmoid;
}

}  // namespace

NodeNeurons GraphSetTemplate::pool(const RuleSpec& spec, const NodeNeurons& body) {
  NodeNeurons graphs{0, std::vector<std::uint32_t>(data_.graph_count(), kAbsent)};
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint64_t> begin{0};
  for (std::uint32_t graph = 0; graph < data_.graph_count(); ++graph) {
    const std::uint32_t end = data_.node_begin[graph + std::size_t{1}];
    for (std::uint32_t node = data_.node_begin[graph]; node < end; ++node) {
      if (body.has(node)) nodes.push_back(node);
    }
    if (nodes.size() == begin.back()) continue;
    graphs.row[graph] = static_cast<std::uint32_t>(begin.size() - 1);
    begin.push_back(nodes.size());
  }
  const FileId bodies =
      out_.group({NeuronClass::Rule, spec.head, spec.text, {}, {}}, nodes.size(),
                 [&](std::uint64_t i, NeuronRow& row) { row.input(body.of(nodes[i])); });
  NeuronFunction aggregation;
  aggregation.combination = spec.aggregation;
  graphs.first = out_.group({NeuronClass::Aggregation, spec.head, spec.text, aggregation, {}},
                            begin.size() - 1, [&](std::uint64_t graph, NeuronRow& row) {
                              for (std::uint64_t i = begin[graph]; i < begin[graph + 1]; ++i) {
                                row.input(bodies + i);
                              }
                            });
  return graphs;
}

void GraphSetTemplate::predict(const std::vector<const NodeNeurons*>& bodies,
                               const std::vector<std::string_view>& predicates,
                               const std::vector<WeightId>& weights) {
  std::vector<NodeNeurons> pools;
  pools.reserve(bodies.size());
  const std::string_view aggregation = options_.mean_pool ? "avg" : "sum";
  const std::string head = data_.has_node_samples ? "predict/1" : "predict/0";
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string weight = weight_text(output_dim(), dim());
    const std::string body(predicates[i]);
    if (data_.has_node_samples) {
      const std::string text = weight + " predict(X) :- " + body + "(X).";
      pools.push_back(self_rule({head, text, dim(), Combination::Sum}, *bodies[i]));
      continue;
    }
    const std::string text =
        weight + " predict :- " + body + "(X). [aggregation=" + std::string(aggregation) + "]";
    pools.push_back(pool(
        {head, text, dim(), options_.mean_pool ? Combination::Avg : Combination::Sum}, *bodies[i]));
  }
  std::vector<AtomInput> inputs;
  for (std::size_t i = 0; i < pools.size(); ++i) inputs.push_back({&pools[i], weights[i]});
  const TransformationSpec output = transformation_of(output_of(options_, output_dim()));
  add_samples(
      atoms({head, activation_text(head, output), output_dim(), output, kNoWeight}, inputs));
}

std::optional<std::uint32_t> GraphSetTemplate::class_of(std::uint32_t item) const {
  if (!data_.has_node_samples) {
    if (data_.graph_labels.empty()) return std::nullopt;
    return data_.graph_labels[item];
  }
  if (data_.node_classes.empty() || data_.node_classes[item] == kUnknownLabel) return std::nullopt;
  // With splits a node of none has no part in training or evaluation.
  if (split_of(item) == Split::Unspecified && !data_.node_splits.empty()) return std::nullopt;
  return data_.node_classes[item];
}

Split GraphSetTemplate::split_of(std::uint32_t item) const {
  return data_.node_splits.empty() ? Split::Unspecified : data_.node_splits[item];
}

bool GraphSetTemplate::fill_target(std::uint32_t item, std::vector<double>& target) const {
  if (options_.regression) {
    std::copy_n(&data_.graph_targets[item * target.size()], target.size(), target.begin());
    return true;
  }
  const std::optional<std::uint32_t> label = class_of(item);
  if (!label) return false;
  target.assign(target.size(), 0);
  target[target.size() == 1 ? 0 : *label] = target.size() == 1 ? *label : 1;
  return true;
}

void GraphSetTemplate::add_samples(const NodeNeurons& queries) {
  if (!options_.regression) out_.number_outputs(vocabulary::kClass);
  std::vector<double> target(output_dim());
  const bool nodes = data_.has_node_samples;
  const std::uint32_t count = nodes ? data_.node_count() : data_.graph_count();
  for (std::uint32_t item = 0; item < count; ++item) {
    if (!queries.has(item)) continue;
    SampleRecord sample;
    // Graphs count from 1 in their files, nodes from 0.
    const std::string id =
        nodes ? "node_" + std::to_string(item) : "graph_" + std::to_string(item + 1);
    sample.id = id;
    sample.output = queries.of(item);
    sample.has_target = fill_target(item, target);
    if (sample.has_target) {
      sample.target_shape = value_shape(output_dim());
      sample.target = target;
    }
    if (nodes) sample.split = split_of(item);
    out_.sample(sample);
  }
}

}  // namespace vecc::tools
