// The samples of the architectures over typed graphs.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "tools/import/models/typed/typed_template.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

std::string name_of(const TypedGraph& data, std::uint32_t node) {
  return data.node_names.size() > 0 ? std::string(data.node_names[node]) : std::to_string(node);
}

// Labels of one node one after another, nodes in the order of their first labels.
std::vector<NodeLabel> gather_labels(const TypedGraph& data) {
  std::vector<std::uint32_t> rank_of_node(data.node_count, kNoRank);
  std::vector<std::uint32_t> ranks;
  ranks.reserve(data.labels.size());
  std::uint32_t labelled = 0;
  for (const NodeLabel& label : data.labels) {
    std::uint32_t& rank = rank_of_node[label.node];
    if (rank == kNoRank) rank = labelled++;
    ranks.push_back(rank);
  }
  std::vector<NodeLabel> gathered;
  gathered.reserve(ranks.size());
  const ItemLists by_rank = list_by_key(ranks, labelled);
  for (const std::uint32_t i : by_rank.item) gathered.push_back(data.labels[i]);
  return gathered;
}

bool has_several_labels(const std::vector<NodeLabel>& gathered) {
  return std::ranges::adjacent_find(gathered, {}, &NodeLabel::node) != gathered.end();
}

// The nodes of gathered labels, each once.
std::vector<std::uint32_t> nodes_of(const std::vector<NodeLabel>& gathered) {
  std::vector<std::uint32_t> nodes;
  for (const NodeLabel& label : gathered) {
    if (nodes.empty() || nodes.back() != label.node) nodes.push_back(label.node);
  }
  return nodes;
}

void add_all_nodes(const TypedGraph& data, const QueryOutputs& outputs, Grounder& out) {
  SampleRecord sample;
  for (std::uint32_t node = 0; node < data.node_count && !out.failed(); ++node) {
    const std::string id = name_of(data, node);
    sample.id = id;
    sample.output = outputs.of(node, node);
    out.sample(sample);
  }
}

}  // namespace

QueryOutputs TypedTemplate::ground_outputs(const TypedNodes& values, ModelOutput output,
                                           const std::vector<std::uint32_t>& nodes) const {
  if (output == ModelOutput::Identity) return {&values, 0};
  const SingleRule rule{.head = "predict/1",
                        .text = "predict(X) :- " + values.predicate + "(X).",
                        .transformation = transformation_of(output)};
  return {nullptr, ground_single(out_, rule, nodes.size(), [&](std::uint64_t i, NeuronRow& row) {
            row.input(values.of(nodes[i]));
          })};
}

Result<void> TypedTemplate::add_samples(const TypedNodes& values) const {
  if (options_.dims.back() == data_.label_names.size()) out_.number_outputs(vocabulary::kClass);
  ModelOutput output = options_.output;
  if (data_.labels.empty()) {
    std::vector<std::uint32_t> nodes(data_.node_count);
    std::iota(nodes.begin(), nodes.end(), 0u);
    if (output == ModelOutput::Auto) output = ModelOutput::Identity;
    add_all_nodes(data_, ground_outputs(values, output, nodes), out_);
    return {};
  }
  SampleRecord sample;
  const std::vector<NodeLabel> labels = gather_labels(data_);
  std::vector<double> target(data_.label_names.size());
  if (output == ModelOutput::Auto) {
    const bool is_single = target.size() == 1;
    output = is_single || has_several_labels(labels) ? ModelOutput::Sigmoid : ModelOutput::Softmax;
  }
  const QueryOutputs outputs = ground_outputs(values, output, nodes_of(labels));
  std::uint64_t number = 0;
  sample.has_target = true;
  sample.target_shape = value_shape(static_cast<std::uint32_t>(target.size()));
  for (std::size_t i = 0; i < labels.size();) {
    const NodeLabel& first = labels[i];
    target.assign(target.size(), 0);
    for (; i < labels.size() && labels[i].node == first.node; ++i) {
      if (labels[i].split != first.split) {
        return Errors(ErrorCode::BadTable, escape_terminal(data_.name),
                      "labels of node \"" + escape_terminal(name_of(data_, first.node)) +
                          "\" are in two splits, expected one");
      }
      target[labels[i].label] = 1;
    }
    const std::string id = name_of(data_, first.node);
    sample.id = id;
    sample.output = outputs.of(number++, first.node);
    sample.split = first.split;
    sample.target = target;
    out_.sample(sample);
  }
  return {};
}

}  // namespace vecc::tools
