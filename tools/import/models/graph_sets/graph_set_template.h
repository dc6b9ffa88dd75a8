// What the architectures over sets of small graphs share: node features, rules over neighbours,
// atoms with one aggregation a rule, and the query of each graph.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/ground/dimensions.h"
#include "tools/import/ground/single_rule.h"
#include "tools/import/models/data_vocabularies.h"
#include "tools/import/models/models.h"

namespace vecc::tools {

inline constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

/// The sources of the edges into each node, in file order; self loops, if added, come last.
struct Neighbours {
  std::vector<std::uint64_t> begin;   ///< node_count + 1
  std::vector<std::uint32_t> source;  ///< by edge
  std::vector<std::uint32_t> edge;    ///< which of the data's it is; kAbsent: an added loop
};
/// `self_loops`: one for every node; those of the data are left out.
[[nodiscard]] Neighbours find_neighbours(const GraphSet& data, bool self_loops);

/// Neurons of a group that belong to nodes (or to graphs): node n's is first + row[n].
struct NodeNeurons {
  FileId first = 0;
  std::vector<std::uint32_t> row;  ///< kAbsent: the node has none

  [[nodiscard]] bool has(std::uint32_t node) const { return row[node] != kAbsent; }
  [[nodiscard]] FileId of(std::uint32_t node) const { return first + row[node]; }
};

/// A rule's own words: `head :- body.` with the aggregation over its bodies.
struct RuleSpec {
  std::string head;       ///< "h1/1"
  std::string text;       ///< "h1(X) :- {10,7} x(Y), *edge(Y,X)."
  std::uint32_t dim = 1;  ///< of its value
  Combination aggregation = Combination::Sum;
};

/// An atom's input: what one rule aggregated, times the rule's weight.
struct AtomInput {
  const NodeNeurons* rule;
  WeightId weight = kNoWeight;
};
struct AtomSpec {
  std::string head;  ///< "h1/1"
  std::string text;  ///< "h1/1 [activation=relu]"
  std::uint32_t dim = 1;
  TransformationSpec transformation;
  WeightId offset = kNoWeight;
};

class GraphSetTemplate {
 public:
  /// Writes the data's vocabularies.
  GraphSetTemplate(const GraphSet& data, const GraphSetOptions& options, Grounder& out);

  [[nodiscard]] const GraphSet& data() const { return data_; }
  [[nodiscard]] const GraphSetOptions& options() const { return options_; }
  [[nodiscard]] Grounder& out() { return out_; }
  [[nodiscard]] std::uint32_t dim() const { return options_.dim; }
  /// Dimensions of layer l's value: of the features for 0.
  [[nodiscard]] std::uint32_t dim_of(std::uint32_t layer) const;
  [[nodiscard]] std::uint32_t output_dim() const;
  /// relu, or identity in the last of `layers`.
  static TransformationSpec activation(std::uint32_t layer, std::uint32_t layers);

  /// {dim, dim of the layer below}: what layer `layer` multiplies the values below with.
  [[nodiscard]] WeightId layer_weight(std::uint32_t layer, const std::string& name);
  /// {dim, edge_dim}: of edges' one-hot labels, beside their attributes if they have some.
  [[nodiscard]] WeightId edge_weight(const std::string& name, std::uint32_t dim,
                                     std::uint32_t edge_dim);
  /// {outputs, dim}: of a rule of the query.
  [[nodiscard]] WeightId query_weight(const std::string& name);

  /// x(X): constant facts, or several side by side.
  [[nodiscard]] NodeNeurons features();
  /// head(X) :- {weight} body(Y), *edge(Y,X).
  [[nodiscard]] NodeNeurons neighbour_rule(const RuleSpec& spec, const Neighbours& neighbours,
                                           const NodeNeurons& body, WeightId weight = kNoWeight);
  /// head(X) :- {weight} body(X).
  [[nodiscard]] NodeNeurons self_rule(const RuleSpec& spec, const NodeNeurons& body,
                                      WeightId weight = kNoWeight);
  /// name(X) :- {dim,in} body(X). with a relu.
  [[nodiscard]] NodeNeurons dense(const std::string& name, const std::string& predicate,
                                  std::uint32_t in, const NodeNeurons& body, WeightId weight);
  /// One atom for each node that at least one of the rules has a neuron for.
  [[nodiscard]] NodeNeurons atoms(const AtomSpec& spec, const std::vector<AtomInput>& inputs);

  /// {weights} predict :- h(X)., one rule for each of `bodies`, and a sample a graph; or predict(X)
  /// and a sample a node.
  void predict(const std::vector<const NodeNeurons*>& bodies,
               const std::vector<std::string_view>& predicates,
               const std::vector<WeightId>& weights);

 private:
  NodeNeurons pool(const RuleSpec& spec, const NodeNeurons& body);
  void add_samples(const NodeNeurons& queries);
  /// Of a graph or a node.
  [[nodiscard]] std::optional<std::uint32_t> class_of(std::uint32_t item) const;
  [[nodiscard]] Split split_of(std::uint32_t item) const;
  /// False: it has none.
  bool fill_target(std::uint32_t item, std::vector<double>& target) const;
  NodeNeurons constant_features(const std::string& head, GraphSetOptions::Features features);

  const GraphSet& data_;
  const GraphSetOptions& options_;
  Grounder& out_;
  std::vector<GraphSetOptions::Features> features_;
  std::uint32_t feature_dim_;
};

/// Elements of features side by side.
[[nodiscard]] std::uint32_t feature_dim_of(const GraphSet& data,
                                           std::span<const GraphSetOptions::Features> features);

/// "h1/1 [activation=relu]"
[[nodiscard]] std::string activation_text(std::string_view head, const TransformationSpec& spec);

}  // namespace vecc::tools
