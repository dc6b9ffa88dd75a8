// The features of nodes: what the data has, or counts.
#include <algorithm>

#include "tools/import/models/graph_sets/graph_set_template.h"

namespace vecc::tools {
namespace {

using Features = GraphSetOptions::Features;

std::uint32_t dim_of_one(const GraphSet& data, Features features) {
  switch (features) {
    case Features::OneHot: return static_cast<std::uint32_t>(data.node_label_values.size());
    case Features::Attributes: return data.attribute_count;
    case Features::One:
    case Features::Degree: return 1;
  }
  return 1;
}

std::string_view name_of(Features features) {
  switch (features) {
    case Features::OneHot: return "label";
    case Features::Attributes: return "attributes";
    case Features::One: return "one";
    case Features::Degree: return "degree";
  }
  return "";
}

std::vector<std::uint32_t> count_in_edges(const GraphSet& data) {
  std::vector<std::uint32_t> degree(data.node_count());
  for (const std::uint32_t target : data.target) ++degree[target];
  return degree;
}

NodeNeurons number_all(FileId first, std::uint32_t count) {
  NodeNeurons result{first, std::vector<std::uint32_t>(count)};
  for (std::uint32_t i = 0; i < count; ++i) result.row[i] = i;
  return result;
}

}  // namespace

std::uint32_t feature_dim_of(const GraphSet& data, std::span<const Features> features) {
  std::uint32_t dim = 0;
  for (const Features each : features) dim += dim_of_one(data, each);
  return dim;
}

NodeNeurons GraphSetTemplate::constant_features(const std::string& head, Features features) {
  const std::vector<std::uint32_t> degree =
      features == Features::Degree ? count_in_edges(data_) : std::vector<std::uint32_t>{};
  const std::uint64_t dim = dim_of_one(data_, features);
  const auto fill = [&](std::uint64_t node, std::span<double> values) {
    switch (features) {
      case Features::OneHot:
        if (data_.node_labels[node] != kUnknownLabel) values[data_.node_labels[node]] = 1;
        return;
      case Features::Degree: values[0] = degree[node]; return;
      case Features::Attributes:
        std::copy_n(&data_.node_attributes[node * dim], dim, values.begin());
        return;
      case Features::One: values[0] = 1; return;
    }
  };
  const FileId first = out_.constant_facts(head, value_shape(static_cast<std::uint32_t>(dim)),
                                           data_.node_count(), fill);
  if (features == Features::OneHot && data_.node_count() > 0) {
    out_.number_facts(vocabulary::kNodeLabel, VocabularyUse::Axis::ValueRow);
  }
  return number_all(first, data_.node_count());
}

NodeNeurons GraphSetTemplate::features() {
  if (features_.size() == 1) return constant_features("x/1", features_[0]);
  std::vector<NodeNeurons> parts;
  std::string body;
  for (const Features each : features_) {
    const std::string name(name_of(each));
    parts.push_back(constant_features(name + "/1", each));
    body += (body.empty() ? "" : ", ") + name + "(X)";
  }
  const SingleRule rule{.head = "x/1",
                        .text = "x(X) :- " + body + ". [combination=concat]",
                        .body = combine(Combination::Concat)};
  const FileId first =
      ground_single(out_, rule, data_.node_count(), [&](std::uint64_t node, NeuronRow& row) {
        for (const NodeNeurons& part : parts) row.input(part.of(static_cast<std::uint32_t>(node)));
      });
  return number_all(first, data_.node_count());
}

}  // namespace vecc::tools
