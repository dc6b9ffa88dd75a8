// The query of each graph of a set: pooled node values, the output, the sample.
#include "tools/import/models/graph_sets/graph_set_template.h"

namespace vecc::tools {
namespace {

ModelOutput output_of(ModelOutput asked, std::uint32_t dim) {
  // The command line refuses it.
  VECC_CHECK(dim > 1 || asked != ModelOutput::Softmax, "softmax over one output");
  if (asked != ModelOutput::Auto) return asked;
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
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string text = weight_text(output_dim(), dim()) + " predict :- " +
                             std::string(predicates[i]) +
                             "(X). [aggregation=" + std::string(aggregation) + "]";
    pools.push_back(
        pool({"predict/0", text, dim(), options_.mean_pool ? Combination::Avg : Combination::Sum},
             *bodies[i]));
  }
  std::vector<AtomInput> inputs;
  for (std::size_t i = 0; i < pools.size(); ++i) inputs.push_back({&pools[i], weights[i]});
  const TransformationSpec output = transformation_of(output_of(options_.output, output_dim()));
  add_samples(
      atoms({"predict/0", activation_text("predict/0", output), output_dim(), output, kNoWeight},
            inputs));
}

void GraphSetTemplate::add_samples(const NodeNeurons& queries) {
  out_.number_outputs(vocabulary::kClass);
  std::vector<double> target(output_dim());
  for (std::uint32_t graph = 0; graph < data_.graph_count(); ++graph) {
    if (!queries.has(graph)) continue;
    SampleRecord sample;
    const std::string id = "graph_" + std::to_string(graph + 1);
    sample.id = id;
    sample.output = queries.of(graph);
    if (!data_.graph_labels.empty()) {
      const std::uint32_t label = data_.graph_labels[graph];
      if (target.size() == 1) {
        target[0] = label;
      } else {
        target.assign(target.size(), 0);
        target[label] = 1;
      }
      sample.has_target = true;
      sample.target_shape = value_shape(output_dim());
      sample.target = target;
    }
    out_.sample(sample);
  }
}

}  // namespace vecc::tools
