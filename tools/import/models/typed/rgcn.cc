// rgcn: h_i = sum over r of mean over j in N_r(i) of W_r x_j + W_0 x_i + b (Schlichtkrull et al.
// 2018). Every relation is a rule of its own, so that each has its own mean.
#include "tools/import/models/typed/typed_models.h"
#include "tools/import/models/typed/typed_template.h"

namespace vecc::tools {
namespace {

/// The edges and the ground heads of the relations' rules, which all layers share.
struct RgcnEdges {
  TypedEdges edges;
  RelationHeads heads;
  ItemLists heads_of_node;  // by target
};

Result<RgcnEdges> find_edges(const TypedTemplate& t) {
  RgcnEdges all;
  VECC_TRY(all.edges, sort_edges(t.data(), t.options().inverse));
  all.heads = find_heads(all.edges);
  all.edges.target = std::vector<std::uint32_t>();  // the heads say it; large graphs need the room
  all.heads_of_node = list_by_key(all.heads.target, t.nodes());
  return all;
}

// h(X) :- {W_r} body(Y), *r(Y,X). for each relation; returns the aggregations, one a head.
FileId ground_relation_rules(const TypedTemplate& t, std::uint32_t layer, const TypedNodes& body,
                             const RgcnEdges& all, WeightId weights) {
  const std::string predicate = t.rule_predicate(layer);
  const std::string head = predicate + "/1";
  const bool mean = t.options().mean;
  const std::string text = predicate + "(X) :- " + weight_text(t.dim(layer), t.dim(layer - 1)) +
                           " " + body.predicate +
                           "(Y), *r(Y,X). [aggregation=" + (mean ? "avg" : "sum") + "]";
  RelationCursor relation(all.edges.relation_begin);
  const FileId bodies =
      t.out().group({NeuronClass::WeightedRule, head, text, {}, {}}, all.edges.count(),
                    [&](std::uint64_t e, NeuronRow& row) {
                      row.input(body.of(all.edges.source[e]), weights + relation.at(e));
                    });
  return t.out().group({NeuronClass::Aggregation,
                        head,
                        text,
                        combine(mean ? Combination::Avg : Combination::Sum),
                        {}},
                       all.heads.count(), [&](std::uint64_t k, NeuronRow& row) {
                         for (std::uint32_t e = all.heads.begin[k]; e < all.heads.begin[k + 1];
                              ++e) {
                           row.input(bodies + e);
                         }
                       });
}

// h(X) :- {W_0} body(X).; returns the aggregations, one a node.
FileId ground_root_rule(const TypedTemplate& t, std::uint32_t layer, const TypedNodes& body,
                        WeightId weight) {
  const std::string predicate = t.rule_predicate(layer);
  const SingleRule rule{.head = predicate + "/1",
                        .text = predicate + "(X) :- " +
                                weight_text(t.dim(layer), t.dim(layer - 1)) + " " + body.predicate +
                                "(X).",
                        .weighted = true};
  return ground_bodies(t.out(), rule, t.nodes(), [&](std::uint64_t node, NeuronRow& row) {
    row.input(body.of(node), weight);
  });
}

TypedNodes ground_rgcn_layer(const TypedTemplate& t, std::uint32_t layer, const TypedNodes& body,
                             const RgcnEdges& all) {
  const std::string name = layer_name(layer);
  const Shape shape = weight_shape(t.dim(layer), t.dim(layer - 1));
  const WeightId weights = t.relation_weights(name + ".W", shape);
  const WeightId root = t.out().weights(name + ".W_0", shape);
  const WeightId bias = t.options().bias.value_or(false)
                            ? t.out().weights(name + ".b", value_shape(t.dim(layer)))
                            : kNoWeight;
  const FileId means = ground_relation_rules(t, layer, body, all, weights);
  const FileId roots = ground_root_rule(t, layer, body, root);
  return t.ground_value(layer, bias, [&](std::uint32_t node, NeuronRow& row) {
    const std::uint32_t end = all.heads_of_node.begin[node + std::size_t{1}];
    for (std::uint32_t k = all.heads_of_node.begin[node]; k < end; ++k) {
      row.input(means + all.heads_of_node.item[k]);
    }
    row.input(roots + node);
  });
}

}  // namespace

Result<void> ground_rgcn(const TypedGraph& data, const TypedOptions& options, Grounder& out) {
  VECC_TRY(const TypedTemplate t, TypedTemplate::create(data, options, out));
  if (options.heads != 1) {
    return Errors(ErrorCode::Usage, "vecc-import",
                  "--heads=" + std::to_string(options.heads) + ": rgcn has no attention heads");
  }
  VECC_TRY(const RgcnEdges all, find_edges(t));
  TypedNodes nodes = t.ground_features();
  for (std::uint32_t layer = 1; layer <= t.layers(); ++layer) {
    nodes = ground_rgcn_layer(t, layer, nodes, all);
  }
  return t.add_samples(nodes);
}

}  // namespace vecc::tools
