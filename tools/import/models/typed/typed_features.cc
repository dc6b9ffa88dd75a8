// Layer 0 of the architectures over typed graphs: learnable embeddings, or given features.
#include <algorithm>
#include <span>
#include <vector>

#include "tools/import/models/typed/typed_template.h"

namespace vecc::tools {
namespace {

/// The nodes of a type, ascending, with what each has before x(X) :- ... makes it a node's value.
struct TypeFacts {
  std::vector<std::uint32_t> nodes;
  FileId first = 0;
  WeightId projection = kNoWeight;
};

std::vector<TypeFacts> list_types(const TypedGraph& data) {
  std::vector<TypeFacts> types(data.node_type_names.size());
  for (std::uint32_t node = 0; node < data.node_count; ++node) {
    types[data.type_of(node)].nodes.push_back(node);
  }
  return types;
}

void ground_constants(Grounder& out, const std::string& name, const NodeFeatures& features,
                      TypeFacts& type) {
  type.first = out.constant_facts(
      "feature_" + name + "/1", value_shape(features.dim), type.nodes.size(),
      [&](std::uint64_t i, std::span<double> values) {
        std::copy_n(&features.values[i * features.dim], features.dim, values.begin());
      });
}

void ground_learnable(Grounder& out, const std::string& name, Shape shape, const TypedGraph& data,
                      TypeFacts& type) {
  StringColumn names;
  if (data.node_names.size() > 0) {
    for (const std::uint32_t node : type.nodes) names.push_back(data.node_names[node]);
  }
  const auto count = static_cast<std::uint32_t>(type.nodes.size());
  const WeightId weights =
      out.weights("e_" + name, shape, count, names.size() > 0 ? &names : nullptr);
  type.first = out.learnable_facts("e_" + name + "/1", weights, count);
}

}  // namespace

TypedNodes TypedTemplate::ground_features() const {
  return options_.given_features ? ground_given_features() : ground_embeddings();
}

TypedNodes TypedTemplate::ground_embeddings() const {
  const StringColumn* names = data_.node_names.size() > 0 ? &data_.node_names : nullptr;
  out_.number_weights(vocabulary::kEntity, "e", VocabularyUse::Axis::Entry);
  const WeightId weights = out_.weights("e", value_shape(dim(0)), nodes(), names);
  return {out_.learnable_facts("e/1", weights, nodes()), "e"};
}

TypedNodes TypedTemplate::ground_given_features() const {
  std::vector<TypeFacts> types = list_types(data_);
  for (std::size_t t = 0; t < types.size(); ++t) {
    if (types[t].nodes.empty()) continue;
    const std::string name(data_.node_type_names[t]);
    const bool given = t < data_.features.size() && data_.features[t].dim > 0;
    if (given) {
      types[t].projection =
          out_.weights("x.P_" + name, weight_shape(dim(0), data_.features[t].dim));
      ground_constants(out_, name, data_.features[t], types[t]);
    } else {
      ground_learnable(out_, name, value_shape(dim(0)), data_, types[t]);
    }
  }
  const SingleRule rule{.head = "x/1",
                        .text = "x(X) :- {" + std::to_string(dim(0)) + ",f} feature(X).",
                        .weighted = true};
  std::vector<std::uint32_t> next(types.size());  // nodes of each type so far
  const FileId first = ground_single(out_, rule, nodes(), [&](std::uint64_t node, NeuronRow& row) {
    const std::uint32_t t = data_.type_of(static_cast<std::uint32_t>(node));
    row.input(types[t].first + next[t]++, types[t].projection);
  });
  return {first, "x"};
}

}  // namespace vecc::tools
