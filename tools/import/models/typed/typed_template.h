// What the architectures over typed graphs share: options that are checked, layer 0, the value of a
// layer, samples.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tools/import/ground/dimensions.h"
#include "tools/import/ground/single_rule.h"
#include "tools/import/models/data_vocabularies.h"
#include "tools/import/models/models.h"
#include "tools/import/models/typed/typed_edges.h"

namespace vecc::tools {

/// A value for each node: node n's neuron is first + n.
struct TypedNodes {
  FileId first = 0;
  std::string predicate;  ///< "h1"

  [[nodiscard]] FileId of(std::uint64_t node) const { return first + node; }
};

/// The neurons of the queries: the nodes' values themselves, or one atom a query.
struct QueryOutputs {
  const TypedNodes* values = nullptr;
  FileId first = 0;

  [[nodiscard]] FileId of(std::uint64_t query, std::uint64_t node) const {
    return values != nullptr ? values->of(node) : first + query;
  }
};

class TypedTemplate {
 public:
  /// Errors: Usage (options that do not fit each other or the data), BadTable (no nodes, no
  /// relations, names of node types that are not distinct), LimitShape, LimitWeights.
  [[nodiscard]] static Result<TypedTemplate> create(const TypedGraph& data,
                                                    const TypedOptions& options, Grounder& out);

  [[nodiscard]] const TypedGraph& data() const { return data_; }
  [[nodiscard]] const TypedOptions& options() const { return options_; }
  [[nodiscard]] Grounder& out() const { return out_; }
  [[nodiscard]] std::uint32_t nodes() const { return data_.node_count; }
  [[nodiscard]] std::uint32_t layers() const {
    return static_cast<std::uint32_t>(options_.dims.size() - 1);
  }
  /// Dimensions of layer l's value; layer 0 is what the first one reads.
  [[nodiscard]] std::uint32_t dim(std::uint32_t layer) const { return options_.dims[layer]; }
  [[nodiscard]] std::uint32_t head_dim(std::uint32_t layer) const {
    return dim(layer) / options_.heads;
  }
  [[nodiscard]] std::uint32_t relations() const {
    return static_cast<std::uint32_t>(relation_names_.size());
  }
  [[nodiscard]] std::uint32_t node_types() const {
    return static_cast<std::uint32_t>(data_.node_type_names.size());
  }

  /// One weight a relation, or one a relation and head (row relation * heads + head).
  WeightId relation_weights(const std::string& name, Shape shape) const;
  WeightId relation_head_weights(const std::string& name, Shape shape) const;
  /// One weight a node type.
  WeightId type_weights(const std::string& name, Shape shape) const;

  /// Layer 0: e(X), or x(X) from given features.
  [[nodiscard]] TypedNodes ground_features() const;

  /// The predicate that a layer's rules prove: the layer's value, or what NORM and relu make it of.
  [[nodiscard]] std::string rule_predicate(std::uint32_t layer) const;
  /// The atoms of that predicate and, where they are two, of the layer's value; `describe(node,
  /// row)` gives a node's inputs, `bias` (or kNoWeight) is everyone's offset.
  template <class Describe>
  [[nodiscard]] TypedNodes ground_value(std::uint32_t layer, WeightId bias,
                                        Describe&& describe) const;

  /// A sample for each labelled node, or for each node where there are no labels.
  [[nodiscard]] Result<void> add_samples(const TypedNodes& nodes) const;

 private:
  TypedTemplate(const TypedGraph& data, const TypedOptions& options, Grounder& out);
  [[nodiscard]] TransformationSpec activation(std::uint32_t layer) const;
  /// `predict(X)` of some nodes, or their values as they are.
  [[nodiscard]] QueryOutputs ground_outputs(const TypedNodes& values, ModelOutput output,
                                            const std::vector<std::uint32_t>& nodes) const;
  [[nodiscard]] bool has_norm_predicate(std::uint32_t layer) const;
  [[nodiscard]] TypedNodes ground_embeddings() const;
  [[nodiscard]] TypedNodes ground_given_features() const;

  const TypedGraph& data_;
  const TypedOptions& options_;
  Grounder& out_;
  StringColumn relation_names_;  // with the inverse ones
  StringColumn relation_head_names_;
};

/// Error: LimitShape.
[[nodiscard]] Result<void> check_weight(std::uint32_t rows, std::uint32_t cols,
                                        const ImportLimits& limits);

/// The predicate of layer l's value, "h1".
[[nodiscard]] inline std::string layer_name(std::uint32_t layer) {
  return "h" + std::to_string(layer);
}

template <class Describe>
TypedNodes TypedTemplate::ground_value(std::uint32_t layer, WeightId bias,
                                       Describe&& describe) const {
  const std::string predicate = rule_predicate(layer);
  const std::string head = predicate + "/1";
  const TransformationSpec transformation =
      options_.layer_norm ? transform(Transformation::Norm) : activation(layer);
  const bool has_bias = bias != kNoWeight;
  const std::string text = (has_bias ? weight_text(dim(layer), 1) + " " : std::string()) +
                           atom_text(head, transformation);
  const FileId atoms = out_.group({has_bias ? NeuronClass::WeightedAtom : NeuronClass::Atom,
                                   head,
                                   text,
                                   combine(Combination::Sum, transformation),
                                   {}},
                                  nodes(), [&](std::uint64_t node, NeuronRow& row) {
                                    row.offset(bias);
                                    describe(static_cast<std::uint32_t>(node), row);
                                  });
  const std::string name = layer_name(layer);
  if (!has_norm_predicate(layer)) return {atoms, name};
  const SingleRule rule{.head = name + "/1",
                        .text = name + "(X) :- " + predicate + "(X).",
                        .transformation = activation(layer)};
  return {ground_single(out_, rule, nodes(),
                        [&](std::uint64_t node, NeuronRow& row) { row.input(atoms + node); }),
          name};
}

}  // namespace vecc::tools
