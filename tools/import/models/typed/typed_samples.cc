// The samples of the architectures over typed graphs.
#include <limits>
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

void add_all_nodes(const TypedGraph& data, const TypedNodes& values, Grounder& out) {
  SampleRecord sample;
  for (std::uint32_t node = 0; node < data.node_count && !out.failed(); ++node) {
    const std::string id = name_of(data, node);
    sample.id = id;
    sample.output = values.of(node);
    out.sample(sample);
  }
}

}  // namespace

Result<void> TypedTemplate::add_samples(const TypedNodes& values) const {
  if (options_.dims.back() == data_.label_names.size()) out_.number_outputs(vocabulary::kClass);
  if (data_.labels.empty()) {
    add_all_nodes(data_, values, out_);
    return {};
  }
  SampleRecord sample;
  const std::vector<NodeLabel> labels = gather_labels(data_);
  std::vector<double> target(data_.label_names.size());
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
    sample.output = values.of(first.node);
    sample.split = first.split;
    sample.target = target;
    out_.sample(sample);
  }
  return {};
}

}  // namespace vecc::tools
