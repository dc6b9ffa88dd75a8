#include "tools/import/models/graph_sets/graph_set_template.h"

#include <algorithm>
#include <utility>

namespace vecc::tools {
namespace {

using Features = GraphSetOptions::Features;

std::vector<Features> features_of(const GraphSet& data, const std::vector<Features>& asked) {
  if (!asked.empty()) return asked;
  return {data.node_labels.empty() ? Features::One : Features::OneHot};
}

}  // namespace

Neighbours find_neighbours(const GraphSet& data, bool self_loops) {
  Neighbours result;
  const std::uint32_t nodes = data.node_count();
  const auto is_listed = [&](std::uint64_t e) {
    return !self_loops || data.source[e] != data.target[e];
  };
  result.begin.assign(nodes + std::size_t{1}, 0);
  for (std::uint64_t e = 0; e < data.edge_count(); ++e) {
    if (is_listed(e)) ++result.begin[data.target[e] + std::size_t{1}];
  }
  for (std::uint32_t n = 0; n < nodes; ++n) {
    result.begin[n + std::size_t{1}] += result.begin[n] + (self_loops ? 1 : 0);
  }
  result.source.resize(result.begin.back());
  result.edge.assign(result.begin.back(), kAbsent);
  std::vector<std::uint64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (std::uint64_t e = 0; e < data.edge_count(); ++e) {
    if (!is_listed(e)) continue;
    const std::uint64_t at = next[data.target[e]]++;
    result.source[at] = data.source[e];
    result.edge[at] = static_cast<std::uint32_t>(e);
  }
  for (std::uint32_t n = 0; self_loops && n < nodes; ++n) result.source[next[n]] = n;
  return result;
}

std::string activation_text(std::string_view head, const TransformationSpec& spec) {
  return std::string(head) + " [activation=" + text_of(spec) + "]";
}

GraphSetTemplate::GraphSetTemplate(const GraphSet& data, const GraphSetOptions& options,
                                   Grounder& out)
    : data_(data),
      options_(options),
      out_(out),
      features_(features_of(data, options.features)),
      feature_dim_(feature_dim_of(data, features_)) {
  add_vocabularies(data_, out_);
}

WeightId GraphSetTemplate::layer_weight(std::uint32_t layer, const std::string& name) {
  if (layer == 1 && features_ == std::vector{Features::OneHot}) {
    out_.number_weights(vocabulary::kNodeLabel, name, VocabularyUse::Axis::ValueColumn);
  }
  return out_.weights(name, weight_shape(dim(), dim_of(layer - 1)));
}

WeightId GraphSetTemplate::edge_weight(const std::string& name, std::uint32_t dim,
                                       std::uint32_t edge_dim) {
  if (data_.edge_attribute_count == 0) {
    out_.number_weights(vocabulary::kEdgeLabel, name, VocabularyUse::Axis::ValueColumn);
  }
  return out_.weights(name, weight_shape(dim, edge_dim));
}

WeightId GraphSetTemplate::query_weight(const std::string& name) {
  if (!options_.regression && output_dim() == data_.graph_label_values.size()) {
    out_.number_weights(vocabulary::kClass, name, VocabularyUse::Axis::ValueRow);
  }
  return out_.weights(name, weight_shape(output_dim(), dim()));
}

std::uint32_t GraphSetTemplate::dim_of(std::uint32_t layer) const {
  return layer == 0 ? feature_dim_ : options_.dim;
}

std::uint32_t GraphSetTemplate::output_dim() const {
  if (options_.regression) return data_.target_count;
  const auto classes = data_.graph_label_values.empty()
                           ? options_.classes
                           : static_cast<std::uint32_t>(data_.graph_label_values.size());
  return classes <= 2 ? 1 : classes;
}

TransformationSpec GraphSetTemplate::activation(std::uint32_t layer, std::uint32_t layers) {
  TransformationSpec spec;
  spec.id = layer == layers ? Transformation::Identity : Transformation::Relu;
  return spec;
}

NodeNeurons GraphSetTemplate::neighbour_rule(const RuleSpec& spec, const Neighbours& neighbours,
                                             const NodeNeurons& body, WeightId weight) {
  std::vector<std::uint32_t> sources;
  sources.reserve(neighbours.source.size());
  std::vector<std::uint64_t> begin{0};
  NodeNeurons heads{0, std::vector<std::uint32_t>(data_.node_count(), kAbsent)};
  for (std::uint32_t node = 0; node < data_.node_count(); ++node) {
    for (std::uint64_t e = neighbours.begin[node]; e < neighbours.begin[node + std::size_t{1}];
         ++e) {
      if (body.has(neighbours.source[e])) sources.push_back(neighbours.source[e]);
    }
    if (sources.size() == begin.back() && !options_.keep_isolated) continue;
    heads.row[node] = static_cast<std::uint32_t>(begin.size() - 1);
    begin.push_back(sources.size());
  }
  const bool weighted = weight != kNoWeight;
  const FileId bodies = out_.group(
      {weighted ? NeuronClass::WeightedRule : NeuronClass::Rule, spec.head, spec.text, {}, {}},
      sources.size(),
      [&](std::uint64_t i, NeuronRow& row) { row.input(body.of(sources[i]), weight); });
  heads.first = out_.group({NeuronClass::Aggregation, spec.head, spec.text,
                            combine(spec.aggregation), value_shape(spec.dim)},
                           begin.size() - 1, [&](std::uint64_t head, NeuronRow& row) {
                             for (std::uint64_t i = begin[head]; i < begin[head + 1]; ++i) {
                               row.input(bodies + i);
                             }
                           });
  return heads;
}

NodeNeurons GraphSetTemplate::self_rule(const RuleSpec& spec, const NodeNeurons& body,
                                        WeightId weight) {
  NodeNeurons heads{0, std::vector<std::uint32_t>(data_.node_count(), kAbsent)};
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t node = 0; node < data_.node_count(); ++node) {
    if (!body.has(node)) continue;
    heads.row[node] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(node);
  }
  const bool weighted = weight != kNoWeight;
  const FileId bodies = out_.group(
      {weighted ? NeuronClass::WeightedRule : NeuronClass::Rule, spec.head, spec.text, {}, {}},
      nodes.size(), [&](std::uint64_t i, NeuronRow& row) { row.input(body.of(nodes[i]), weight); });
  heads.first =
      out_.group({NeuronClass::Aggregation, spec.head, spec.text, combine(spec.aggregation), {}},
                 nodes.size(), [&](std::uint64_t i, NeuronRow& row) { row.input(bodies + i); });
  return heads;
}

NodeNeurons GraphSetTemplate::dense(const std::string& name, const std::string& predicate,
                                    std::uint32_t in, const NodeNeurons& body, WeightId weight) {
  const std::string head = name + "/1";
  const std::string text = name + "(X) :- " + weight_text(dim(), in) + " " + predicate + "(X).";
  const NodeNeurons rule = self_rule({head, text, dim(), Combination::Sum}, body, weight);
  const TransformationSpec relu = transform(Transformation::Relu);
  return atoms({head, activation_text(head, relu), dim(), relu, kNoWeight}, {{&rule}});
}

NodeNeurons GraphSetTemplate::atoms(const AtomSpec& spec, const std::vector<AtomInput>& inputs) {
  const auto count = static_cast<std::uint32_t>(inputs.front().rule->row.size());
  NodeNeurons heads{0, std::vector<std::uint32_t>(count, kAbsent)};
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t node = 0; node < count; ++node) {
    const auto proves = [node](const AtomInput& input) { return input.rule->has(node); };
    if (std::none_of(inputs.begin(), inputs.end(), proves)) continue;
    heads.row[node] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(node);
  }
  const bool weighted = spec.offset != kNoWeight ||
                        std::any_of(inputs.begin(), inputs.end(),
                                    [](const AtomInput& i) { return i.weight != kNoWeight; });
  heads.first = out_.group({weighted ? NeuronClass::WeightedAtom : NeuronClass::Atom,
                            spec.head,
                            spec.text,
                            combine(Combination::Sum, spec.transformation),
                            {}},
                           nodes.size(), [&](std::uint64_t i, NeuronRow& row) {
                             row.offset(spec.offset);
                             for (const AtomInput& input : inputs) {
                               if (input.rule->has(nodes[i]))
                                 row.input(input.rule->of(nodes[i]), input.weight);
                             }
                           });
  return heads;
}

}  // namespace vecc::tools
